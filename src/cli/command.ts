import type { ParseArgsOptionsConfig } from "node:util";
import type { Output } from "./output.ts";

/** 0: done. 1: it could not be done, or failed. 2: it was asked for in the wrong way. 130: left with Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 130;

export interface Option {
	type: "string" | "boolean";
	short?: string;
	/** What its value is, where it has one: `<id>`. */
	takes?: string;
	does: string;
	/** What its value names, so that it can be completed. */
	completes?: Completed;
}

/** What a word may be: a run, an agent, or one of these. */
export type Completed = "runs" | "agents" | readonly string[];

export interface Call {
	/** What is not an option. */
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
	/** What its first word names, so that it can be completed. */
	completes?: Completed;
	/** It says itself what is wrong with the configuration, or has nothing to do with it. */
	seesToConfig?: true;
	run(call: Call): Promise<ExitCode> | ExitCode;
}

/** Which every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
	json: { type: "boolean", does: "print JSON" },
	help: { type: "boolean", short: "h", does: "show this help" },
};

export const parseConfig = (options: Readonly<Record<string, Option>>): ParseArgsOptionsConfig =>
	Object.fromEntries(
		Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short !== undefined && { short }) }]),
	);

/** A whole number from 1 on, or what is wrong with it. */
export function countOption(value: string | boolean | undefined, name: string): number | undefined | { error: string } {
	if (typeof value !== "string") return undefined;
	const count = Number(value);
	if (Number.isSafeInteger(count) && count > 0) return count;
	return { error: `--${name} takes a whole number of at least 1, not "${value}".` };
}

export const textOption = (value: string | boolean | undefined): string | undefined =>
	typeof value === "string" ? value : undefined;
