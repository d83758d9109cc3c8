import { inOneLine } from "../collect/plain.ts";
import { listRuns } from "../operate/runs.ts";
import { COMMON_OPTIONS, type Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { redactorHere, withLedger } from "./surroundings.ts";

/** As many as one would read through. */
const OFFERED = 50;

/** What may stand where the last of these words is. */
export async function complete(words: string[]): Promise<string[]> {
	const typed = words.at(-1) ?? "";
	return (await candidates(words)).filter((candidate) => candidate.startsWith(typed));
}

async function candidates(words: string[]): Promise<string[]> {
	if (words.length <= 1) return [...COMMANDS.map(({ name }) => name), "help", "--help", "--version"];
	const [name, ...others] = words;
	const command = COMMANDS.find((one) => one.name === name);
	if (!command) return name === "help" ? COMMANDS.map((one) => one.name) : [];
	const options = Object.keys({ ...command.options, ...COMMON_OPTIONS }).map((option) => `--${option}`);
	if (others.at(-1)?.startsWith("-")) return options;
	const before = others.slice(0, -1).filter((word) => !word.startsWith("-"));
	return before.length > 0 ? [] : firstWords(command);
}

async function firstWords({ completes, name }: Command): Promise<string[]> {
	if (completes !== "runs") return [...(completes ?? [])];
	const found = await withLedger((ledger) => listRuns({ limit: OFFERED }, { ledger, redactor: redactorHere() }));
	const runs = found?.runs ?? [];
	// A label of several words would have to be quoted, and each shell does that in its own way.
	const labels = runs.flatMap(({ label }) =>
		label !== undefined && /^[\w.-]+$/.test(label) ? [inOneLine(label)] : [],
	);
	return [...new Set([...(name === "stop" ? ["all"] : []), "last", ...runs.map(({ runId }) => runId), ...labels])];
}
