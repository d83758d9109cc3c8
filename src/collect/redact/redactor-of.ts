import { homedir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../config/load.ts";
import { principalDirs } from "../../config/principal-dirs.ts";
import { knownSecrets } from "./known-secrets.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

/**
 * A redactor that knows the secrets of this moment: what pi keeps in this agent directory, and what the principals of the
 * user keep in theirs, this one included.
 */
export function redactorOf(agentDir: string, principal?: string): Redactor {
	// The user's file alone: a project may name neither keys nor principals.
	const { config } = loadConfig({ userFile: join(agentDir, "pi-geon.json") });
	const principals = new Set([...principalDirs(config), ...(principal === undefined ? [] : [principal])]);
	const secrets = knownSecrets({
		env: process.env,
		authFile: join(agentDir, "auth.json"),
		principalAuthFiles: [...principals].map((dir) => join(dir, "auth.json")),
		modelsFile: join(agentDir, "models.json"),
		settings: config.web,
	});
	return createRedactor({ secrets, homeDir: homedir() });
}
