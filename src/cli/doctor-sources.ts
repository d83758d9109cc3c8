import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import type { DoctorSources, KnownModels } from "../operate/doctor/sources.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import { catalogFor } from "./catalog.ts";
import { type FoundPi, profileFor } from "./find-pi.ts";
import { isLoadedByPi } from "./loaded-by-pi.ts";
import { agentDir, configHere, places } from "./surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

const MODELS_WITHIN_MS = 30_000;

/** What can be known outside of pi. */
export function sourcesHere(pi: FoundPi | undefined): DoctorSources {
	const cwd = process.cwd();
	const isTrusted = trustOnFile(agentDir(), cwd);
	return {
		agentDir: agentDir(),
		cwd,
		homeDir: homedir(),
		env: process.env,
		places: places(),
		sessionsRoot: sessionsRoot(agentDir(), homedir()),
		pi: pi && { version: pi.version, where: pi.command.at(-1) ?? "" },
		isLoaded: isLoadedByPi(agentDir(), cwd),
		profile: pi && profileFor(pi),
		config: configHere(),
		catalog: catalogFor(cwd, { includeProject: isTrusted === true }),
		isTrusted,
		tools: undefined,
		models: (signal) => modelsOf(pi, signal),
	};
}

/** pi lists the models that have credentials, one a line, after a line of headings. */
async function modelsOf(pi: FoundPi | undefined, signal: AbortSignal): Promise<KnownModels | string> {
	if (!pi) return "There is no pi on the PATH to ask.";
	const [program = "", ...script] = pi.command;
	try {
		const { stdout } = await promisify(execFile)(program, [...script, "--list-models"], {
			timeout: MODELS_WITHIN_MS,
			maxBuffer: 16 * 1024 * 1024,
			signal,
		});
		const [headings = "", ...rows] = stdout.trim().split("\n");
		const available = /^provider\s+model\b/.test(headings)
			? rows.map((row) => row.trim().split(/\s+/)).map(([provider = "", id = ""]) => ({ provider, id }))
			: [];
		const named = (name: string) => {
			const plainName = name.replace(/:[a-z]+$/, "");
			return available.find(({ provider, id }) =>
				[`${provider}/${id}`, id].some((one) => one === plainName || one === name),
			);
		};
		// Those without credentials are not in the list.
		return { available, isKnown: () => undefined, resolve: async (name) => named(name) };
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return `pi --list-models failed: ${error.message}`;
	}
}
