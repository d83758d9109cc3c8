import { type Fact, factsTo, wrapTo } from "../operate/report/layout.ts";
import { COMMON_OPTIONS, type Command, type Option } from "./command.ts";

export function generalHelp(commands: readonly Command[], width: number): string[] {
	return [
		...wrapTo(width, "pi-geon: view and steer pi's subagents, even while pi is closed"),
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
			"<run> is a run's id (or a unique prefix of it), its label, or `last`. With --session, it can also be the run's number in that session. Every command accepts --help and --json.",
		),
		"",
		...wrapTo(width, "Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted."),
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
