import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import type { DoctorSources, KnownModels, ModelName } from "../operate/doctor/sources.ts";
import { readModelName } from "../plan/model-name.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import { agentsIn } from "./catalog.ts";
import { type FoundPi, profileFor } from "./find-pi.ts";
import { isLoadedByPi } from "./loaded-by-pi.ts";
import { agentDir, configHere, places } from "./surroundings.ts";
import { toolsOnFile } from "./tool-surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

const MODELS_WITHIN_MS = 30_000;

/** The doctor's facts that are known outside pi. */
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
		catalog: agentsIn(cwd, { includeProject: isTrusted === true }),
		isTrusted,
		tools: toolsOnFile(cwd),
		models: (signal) => modelsOf(pi, signal),
	};
}

/** pi lists the models that have credentials, one per line, after a header line. */
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
		return {
			available,
			// Unknown, because the list leaves out models without credentials.
			isKnown: () => undefined,
			resolve: (name) => readModelName(name, { models: available, ownProvider: undefined, readByPi: readPlainly }),
		};
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return `pi --list-models failed: ${error.message}`;
	}
}

/** Reads a name as pi does, but without pi's resolver: the model with that id, or else the newest whose id contains it. */
async function readPlainly(name: string, models: readonly ModelName[]): Promise<{ model: ModelName } | undefined> {
	const text = name.toLowerCase().replace(/:[a-z]+$/, "");
	const full = ({ provider, id }: ModelName) => `${provider}/${id}`.toLowerCase();
	const found =
		models.find((model) => [full(model), model.id.toLowerCase()].includes(text)) ??
		models.filter((model) => full(model).includes(text)).sort((a, b) => b.id.localeCompare(a.id))[0];
	return found && { model: found };
}
