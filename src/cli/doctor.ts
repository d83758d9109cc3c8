import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import type { CheckResult } from "../operate/doctor/check.ts";
import { runDoctor } from "../operate/doctor/doctor.ts";
import { checkReport, doctorSummary, hasFailed } from "../operate/doctor/report.ts";
import type { DoctorSources, KnownModels } from "../operate/doctor/sources.ts";
import { sessionsRoot } from "../plan/session-place.ts";
import type { Command } from "./command.ts";
import { type FoundPi, findPi, profileFor } from "./find-pi.ts";
import type { Output } from "./output.ts";
import {
	agentDir,
	catalogFor,
	configHere,
	isInsideSubagent,
	ONLY_LOOKS,
	places,
	redactorHere,
} from "./surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

const MODELS_WITHIN_MS = 30_000;

export const doctor: Command = {
	name: "doctor",
	takes: "[--fix]",
	does: "try everything that can be wrong, and say what to do",
	words: [0, 0],
	options: { fix: { type: "boolean", does: "put right what can be put right safely" } },
	async run({ options, out }) {
		// It would start a host, too.
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		const redactor = redactorHere();
		const left = new AbortController();
		const leave = () => left.abort();
		process.once("SIGINT", leave);
		try {
			const results = await runDoctor(sourcesHere(await findPi()), {
				fix: options.fix === true,
				signal: left.signal,
				onChecking: (name) => out.progress(`${name}…`),
				onResult: (result) => {
					out.progress("");
					if (!out.isJson) out.lines(colored(redactor.redactValue(result), out));
				},
			});
			out.progress("");
			if (out.isJson) out.document(redactor.redactValue(results));
			else out.lines(["", doctorSummary(results)]);
			return left.signal.aborted ? 130 : hasFailed(results) ? 1 : 0;
		} finally {
			process.off("SIGINT", leave);
		}
	},
};

const COLORS = { pass: "green", warn: "yellow", fail: "red" } as const;

function colored(result: CheckResult, out: Output): string[] {
	const [first = "", ...others] = checkReport(result, { width: out.width });
	return [first.replace(/^\S+/, (mark) => out.paint(COLORS[result.level], mark)), ...others];
}

/** What can be known outside of pi. */
function sourcesHere(pi: FoundPi | undefined): DoctorSources {
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
