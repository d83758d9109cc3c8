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
	const options = { ...command.options, ...COMMON_OPTIONS };
	const before = wordsBefore(others.slice(0, -1), options);
	// Nobody can know what the value of an option is to be.
	if (before === "a value is due") return [];
	if (others.at(-1)?.startsWith("-")) return Object.keys(options).map((option) => `--${option}`);
	return before > 0 ? [] : firstWords(command);
}

/** How many words stand there that are neither options nor their values. */
function wordsBefore(typed: string[], options: Command["options"]): number | "a value is due" {
	let count = 0;
	for (let at = 0; at < typed.length; at++) {
		const word = typed[at] ?? "";
		if (!takesNext(word, options)) {
			if (!word.startsWith("-")) count++;
			continue;
		}
		at++;
		if (typed[at] === "=") at++; // bash takes `--wait=5` apart.
		if (at >= typed.length) return "a value is due";
	}
	return count;
}

/** Whether the word after this one is its value: after `--wait`, `-w` or `-tn`, not after `--wait=5` or `-w5`. */
function takesNext(word: string, options: Command["options"]): boolean {
	if (word.startsWith("--")) return options[word.slice(2)]?.type === "string";
	if (!word.startsWith("-")) return false;
	const letters = [...word.slice(1)];
	const withValue = letters.findIndex((letter) =>
		Object.values(options).some(({ type, short }) => type === "string" && short === letter),
	);
	return withValue !== -1 && withValue === letters.length - 1;
}

async function firstWords({ completes, name }: Command): Promise<string[]> {
	if (completes !== "runs") return [...(completes ?? [])];
	const found = await withLedger((ledger) => listRuns({ limit: OFFERED }, { ledger, redactor: redactorHere() }), {
		toLook: true,
	});
	const runs = found?.runs ?? [];
	// A label of several words would have to be quoted, and each shell does that in its own way.
	const labels = runs.flatMap(({ label }) =>
		label !== undefined && /^[\w.-]+$/.test(label) ? [inOneLine(label)] : [],
	);
	return [...new Set([...(name === "stop" ? ["all"] : []), "last", ...runs.map(({ runId }) => runId), ...labels])];
}
