import { listRuns } from "../operate/runs.ts";
import { COMMON_OPTIONS, type Command, type Completed, type Option } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { redactorHere, withLedger } from "./surroundings.ts";

/** The most that a user would read through. */
const WORDS_OFFERED = 50;

/** Completions for the last of these words. */
export async function complete(words: string[]): Promise<string[]> {
	const typed = words.at(-1) ?? "";
	return (await wordsToOffer(words)).filter((candidate) => candidate.startsWith(typed));
}

async function wordsToOffer(words: string[]): Promise<readonly string[]> {
	if (words.length <= 1) return [...COMMANDS.map(({ name }) => name), "help", "--help", "--version"];
	const [name, ...others] = words;
	const command = COMMANDS.find((one) => one.name === name);
	if (!command) return name === "help" ? COMMANDS.map((one) => one.name) : [];
	const options = { ...command.options, ...COMMON_OPTIONS };
	const before = wordsBefore(others.slice(0, -1), options);
	if (typeof before === "object") return namesToOffer(before.completes);
	if (others.at(-1)?.startsWith("-")) return Object.keys(options).map((option) => `--${option}`);
	if (before > 0) return [];
	return [...(command.name === "stop" ? ["all"] : []), ...(await namesToOffer(command.completes))];
}

/** How many words are neither options nor their values; or the option whose value comes next. */
function wordsBefore(typed: string[], options: Command["options"]): number | Option {
	let count = 0;
	for (let at = 0; at < typed.length; at++) {
		const word = typed[at] ?? "";
		const option = takingNext(word, options);
		if (!option) {
			if (!word.startsWith("-")) count++;
			continue;
		}
		at++;
		if (typed[at] === "=") at++; // bash splits `--wait=5`.
		if (at >= typed.length) return option;
	}
	return count;
}

/** The option whose value the next word is: after `--wait`, `-w` or `-tn`, not after `--wait=5` or `-w5`. */
function takingNext(word: string, options: Command["options"]): Option | undefined {
	if (word.startsWith("--")) return withValue(options[word.slice(2)]);
	if (!word.startsWith("-")) return undefined;
	const letters = [...word.slice(1)];
	const taking = letters.map((letter) => withValue(Object.values(options).find(({ short }) => short === letter)));
	const first = taking.findIndex((option) => option !== undefined);
	return first === letters.length - 1 ? taking[first] : undefined;
}

const withValue = (option: Option | undefined): Option | undefined => (option?.type === "string" ? option : undefined);

async function namesToOffer(completed: Completed | undefined): Promise<readonly string[]> {
	if (completed === "agents") return (await import("./catalog.ts")).agentNamesHere();
	return completed === "runs" ? runNames() : (completed ?? []);
}

async function runNames(): Promise<string[]> {
	const found = await withLedger((ledger) => listRuns({ limit: WORDS_OFFERED }, { ledger, redactor: redactorHere() }), {
		toLook: true,
	});
	const runs = found?.runs ?? [];
	// A label of several words would need quotes, which differ between shells.
	const labels = runs.flatMap(({ label }) =>
		label !== undefined && /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N}_.-]*$/u.test(label) ? [label] : [],
	);
	return [...new Set(["last", ...runs.map(({ runId }) => runId), ...labels])];
}
