import { type Fact, factsTo, wrapTo } from "../operate/report/layout.ts";
import { COMMON_OPTIONS, type Command, type Option } from "./command.ts";

export function generalHelp(commands: readonly Command[], width: number): string[] {
	return [
		...wrapTo(width, "pi-geon: see and steer the subagents of pi, also while no pi is open"),
		"",
		"Usage: pi-geon <command> [options]",
		"",
		...indentedFacts(
			width,
			commands.map(({ name, does }) => ({ name, value: does })),
		),
		"",
		...wrapTo(
			width,
			"<run> is the id of a run or the beginning of one, its label, or `last`; with --session also its number there. Every command has --help and --json.",
		),
		"",
		...wrapTo(width, "Exit codes: 0 done, 1 not done or failed, 2 asked for in the wrong way, 130 left with Ctrl-C."),
	];
}

export function commandHelp({ name, takes, does, options }: Command, width: number): string[] {
	return [
		...wrapTo(width, `pi-geon ${name}: ${does}`),
		"",
		`Usage: pi-geon ${name} ${takes}`.trim(),
		"",
		...indentedFacts(width, Object.entries({ ...options, ...COMMON_OPTIONS }).map(optionFact)),
	];
}

const optionFact = ([name, { short, takes, does }]: [string, Option]): Fact => ({
	name: `${short === undefined ? "" : `-${short}, `}--${name}${takes === undefined ? "" : ` ${takes}`}`,
	value: does,
});

const indentedFacts = (width: number, facts: Fact[]): string[] => factsTo(width - 2, facts).map((line) => `  ${line}`);
