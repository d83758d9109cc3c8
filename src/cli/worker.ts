import { homedir } from "node:os";
import { packageVersion } from "../config/package-version.ts";
import { principalsOf } from "../config/principal-dirs.ts";
import { openLedger } from "../ledger/ledger.ts";
import { systemPorts as ports } from "../processes/system-ports.ts";
import { HostProfiles } from "../supervise/host-profiles.ts";
import { Hosts } from "../supervise/hosts.ts";
import { Supervisor } from "../supervise/supervisor.ts";
import { type Command, countOption, textOption } from "./command.ts";
import { findPi, profileFor } from "./find-pi.ts";
import { agentDir, cliLog, configOfUser, isInsideSubagent, ONLY_LOOKS, places, redactorHere } from "./surroundings.ts";

const USUAL_PLACES = 4;

export const worker: Command = {
	name: "worker",
	takes: "--pool <name> [--places <n>]",
	does: "take runs from a pool and execute them on this machine; Ctrl-C stops it",
	words: [0, 0],
	options: {
		pool: { type: "string", takes: "<name>", does: "the name of the pool in pi-geon.json" },
		places: { type: "string", takes: "<n>", does: `execute at most this many runs at once (default ${USUAL_PLACES})` },
	},
	async run({ options, out }) {
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		const name = textOption(options.pool);
		if (name === undefined) return out.misused("--pool is missing. Name the pool to work for.");
		const slots = countOption(options.places, "places") ?? USUAL_PLACES;
		if (typeof slots === "object") return out.misused(slots.error);
		const pi = await findPi();
		if (!pi) return out.failed("There is no pi on the PATH, and subagents run in it.");
		const { openWorker } = await import("../pool/worker.ts");
		const { poolAddress, poolNamed } = await import("../pool/address.ts");
		const settings = poolNamed(name, configOfUser().config.pools);
		const url = poolAddress(settings, { agentDir: agentDir(), env: process.env });
		// Children inherit this environment, and must not see the address.
		if (settings.urlEnv !== null) delete process.env[settings.urlEnv];
		const redactor = redactorHere();
		const log = cliLog(redactor);
		const ledger = await openLedger(places().ledger);
		ledger.redact = redactor.redact;
		const profiles = new HostProfiles(profileFor(pi), principalsOf(agentDir()));
		const hosts = new Hosts({ ledger, places: places(), profiles, ports, log });
		const supervisor = new Supervisor({ ledger, hosts, ports, log });
		try {
			const opened = await openWorker({
				url,
				settings,
				config: () => configOfUser().config,
				slots,
				agentDir: agentDir(),
				homeDir: homedir(),
				ledger,
				places: places(),
				ports,
				supervisor,
				profile: (plan) => profiles.for(plan).digest,
				versions: { package: packageVersion(), pi: pi.version },
				redact: redactor.redact,
				tell: (line) => out.lines([`${new Date().toTimeString().slice(0, 8)}  ${line}`]),
				log,
			});
			const leave = () => void opened.porter.leave();
			process.once("SIGINT", leave);
			process.once("SIGTERM", leave);
			out.lines([
				`${opened.name} takes runs of pool ${name}, ${slots} at once. Ctrl-C stops it; its runs go to other workers.`,
			]);
			try {
				await opened.porter.serve();
			} finally {
				await opened.close();
			}
			return 0;
		} finally {
			supervisor.dispose();
			ledger.close();
		}
	},
};
