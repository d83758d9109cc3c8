import type { ParseArgsOptionsConfig } from "node:util";
import type { Output } from "./output.ts";

/** 0: done. 1: failed. 2: usage error. 130: interrupted with Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 130;

export interface Option {
	type: "string" | "boolean";
	short?: string;
	/** The placeholder of its value, if it has one: `<id>`. */
	takes?: string;
	does: string;
	/** The kind of its value, for completion. */
	completes?: Completed;
}

/** What a word may be: a run, an agent, or one of these. */
export type Completed = "runs" | "agents" | readonly string[];

export interface Call {
	/** The arguments that are not options. */
	words: string[];
	options: Readonly<Record<string, string | boolean | undefined>>;
	out: Output;
}

export interface Command {
	name: string;
	/** What follows the name. */
	takes: string;
	does: string;
	/** How many words it takes at least and at most. */
	words: readonly [least: number, most: number];
	options: Readonly<Record<string, Option>>;
	/** The kind of its first word, for completion. */
	completes?: Completed;
	/** Set if the command reports problems of the configuration itself, or does not use it. */
	checksConfig?: true;
	run(call: Call): Promise<ExitCode> | ExitCode;
}

/** The options of every command. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
	json: { type: "boolean", does: "print JSON" },
	help: { type: "boolean", short: "h", does: "show this help" },
};

export const parseConfig = (options: Readonly<Record<string, Option>>): ParseArgsOptionsConfig =>
	Object.fromEntries(
		Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short !== undefined && { short }) }]),
	);

/** A whole number of at least 1, or an error message. */
export function countOption(value: string | boolean | undefined, name: string): number | undefined | { error: string } {
	if (typeof value !== "string") return undefined;
	const count = Number(value);
	if (Number.isSafeInteger(count) && count > 0) return count;
	return { error: `--${name} takes a whole number of at least 1, not "${value}".` };
}

export const textOption = (value: string | boolean | undefined): string | undefined =>
	typeof value === "string" ? value : undefined;
