import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { recentRedactor } from "../collect/redact/recent-redactor.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { redactorFor } from "../collect/redact/redactor-for.ts";
import { loadConfig } from "../config/load.ts";
import { placesIn } from "../ledger/places.ts";
import { type Log, logTo } from "../log/log.ts";
import { appendToLog } from "../log/log-file.ts";
import { principalDirs } from "../plan/principal.ts";

/** The log of this pi process. Nothing is read or made before the first line. */
export const parentLog: Log = logTo({
	context: { role: "parent", pid: process.pid },
	write: (line) => appendToLog(placesIn(getAgentDir()).parentLog, line),
	redact: (value) => redactor().redactValue(value),
});

/** Tokens change while pi runs: with /login, and when they are renewed. */
const redactor = recentRedactor(() => parentRedactor());

/** One that knows the secrets of this moment, also where nothing of ours is open yet. */
export function parentRedactor(): Redactor {
	const agentDir = getAgentDir();
	// The user's file alone: a project may name neither keys nor principals.
	const { config } = loadConfig({ userFile: join(agentDir, "pi-geon.json") });
	return redactorFor({
		env: process.env,
		authFile: join(agentDir, "auth.json"),
		principalAuthFiles: principalDirs(config).map((dir) => join(dir, "auth.json")),
		modelsFile: join(agentDir, "models.json"),
		settings: config.web,
	});
}
