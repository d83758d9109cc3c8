import { join } from "node:path";
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { redactorFor } from "../collect/redact/redactor-for.ts";
import { loadConfig } from "../config/load.ts";
import { findHost } from "../ledger/hosts.ts";
import { openLedger } from "../ledger/ledger.ts";
import { placesIn } from "../ledger/places.ts";
import { logTo } from "../log/log.ts";
import { isHostId } from "../run/ids.ts";
import { HOST_COMMAND } from "./command.ts";
import { freshModelRuntimes } from "./models.ts";
import { recentRedactor } from "./recent-redactor.ts";
import { Host } from "./serve.ts";

const DEFAULT_IDLE_MS = 60_000;
const LEAVE_WITHIN_MS = 1000;

/**
 * The extension a host process is started with. Its one command serves until the host leaves, and only then returns:
 * that keeps a pi in print mode alive, in the npm package and in the compiled binary alike.
 */
export default function hostExtension(pi: ExtensionAPI): void {
	let host: Host | undefined;
	pi.registerCommand(HOST_COMMAND, {
		description: "Internal: serves child sessions until nobody needs them",
		handler: async (args, { ui }) => {
			const id = args.trim();
			if (!isHostId(id)) throw new Error(`/${HOST_COMMAND} is started by pi-geon, with the id of a host.`);
			const agentDir = getAgentDir();
			const places = placesIn(agentDir);
			const ledger = await openLedger(places.ledger);
			const authFile = join(agentDir, "auth.json");
			const modelsFile = join(agentDir, "models.json");
			const redactor = recentRedactor((principalAuthFiles) =>
				redactorFor({ env: process.env, authFile, modelsFile, principalAuthFiles, settings: webSettings(agentDir) }),
			);
			const log = logTo({
				context: { role: "host", pid: process.pid, host: id },
				// Its starter has pointed it at the host's log, where the last words of a process that dies go too.
				write: (line) => void process.stderr.write(line),
				redact: (value) => redactor().redactValue(value),
			});
			const record = findHost(ledger, id);
			if (!record) throw new Error(`The ledger knows no host ${id}.`);
			const models = freshModelRuntimes(agentDir);
			host = new Host({
				id,
				profile: record.profile,
				socket: record.socket,
				idleMs: Number(process.env.PI_GEON_HOST_IDLE_MS) || DEFAULT_IDLE_MS,
				ledger,
				places,
				log,
				childServices: ({ agentDir: ownDir }) => ({
					agentDir: ownDir ?? agentDir,
					openModels: () => models(ownDir),
					redactor: redactor(ownDir === undefined ? [] : [join(ownDir, "auth.json")]),
					ui,
				}),
			});
			try {
				await host.serve();
			} finally {
				ledger.close();
				// pi ends by itself once nothing keeps it: but a child that never settled, or a request whose provider
				// never answered, may.
				setTimeout(() => process.exit(), LEAVE_WITHIN_MS).unref();
			}
		},
	});
	pi.on("session_shutdown", () => host?.abandon());
}

/** Where the user may have written down keys of search providers. A project may not. */
const webSettings = (agentDir: string): object => loadConfig({ userFile: join(agentDir, "pi-geon.json") }).config.web;
