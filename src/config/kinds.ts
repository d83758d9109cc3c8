import { LONGEST_TIMER_MS } from "../ports/clock.ts";
import { HOST_PATTERN, type NetworkSetting } from "../run/network.ts";
import type { Kind } from "./setting.ts";

export const trueOrFalse: Kind<boolean> = {
	expected: "true or false",
	read: (value) => (typeof value === "boolean" ? value : undefined),
};

export const text: Kind<string> = {
	expected: "a non-empty string",
	read: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
};

export const positiveNumber: Kind<number> = {
	expected: "a number above 0",
	read: (value) => (typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined),
};

export function wholeNumber(from: number, to = Number.MAX_SAFE_INTEGER): Kind<number> {
	return {
		expected: `a whole number ${to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`}`,
		read: (value) => (isWhole(value) && value >= from && value <= to ? value : undefined),
	};
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

export const LONGEST_TIMER_SECONDS = Math.floor(LONGEST_TIMER_MS / 1000);

export const milliseconds = wholeNumber(1, LONGEST_TIMER_MS);
export const seconds = wholeNumber(0, LONGEST_TIMER_SECONDS);

export function oneOf<T extends string>(words: readonly T[]): Kind<T> {
	return {
		expected: `one of ${words.join(", ")}`,
		read: (value) => words.find((word) => word === value),
	};
}

export function matching(pattern: RegExp, expected: string): Kind<string> {
	return { expected, read: (value) => (typeof value === "string" && pattern.test(value) ? value : undefined) };
}

export function orNull<T>(kind: Kind<T>): Kind<T | null> {
	return {
		expected: `${kind.expected}, or null`,
		read: (value, source) => (value === null ? null : kind.read(value, source)),
	};
}

export function listOf<T>(item: Kind<T>): Kind<readonly T[]> {
	return {
		expected: `a list, each item ${item.expected}`,
		read: (value, source) => {
			if (!Array.isArray(value)) return undefined;
			const items = value.flatMap((given: unknown, index) => {
				const read = item.read(given, source.at(index));
				if (read !== undefined) return [read];
				const remedy = "Correct it; until then the item is left out.";
				source.at(index).report("error", `Expected ${item.expected}, not ${describe(given)}.`, remedy);
				return [];
			});
			return [...new Set(items)];
		},
	};
}

/** Does not use `listOf`, which drops repeated items: the order and number of arguments matter. */
export const commandLine: Kind<readonly string[]> = {
	expected: "a list of strings, the program first",
	read: (value, source) =>
		// An argument may be empty, the program may not.
		Array.isArray(value) &&
		text.read(value[0], source) !== undefined &&
		value.every((part: unknown) => typeof part === "string")
			? (value as string[])
			: undefined,
};

/**
 * The command of a hook. An unreadable one becomes an empty list instead of the default: a typo must not disable a hook that
 * decides what may start.
 */
export const hookCommand = (untilThen: string): Kind<readonly string[] | null> => ({
	expected: `${commandLine.expected}, or null`,
	read: (value, source) => {
		if (value === null) return null;
		const command = commandLine.read(value, source);
		if (command) return command;
		const expected = `Expected ${commandLine.expected}, or null, not ${describe(value)}.`;
		source.report("error", expected, `Correct it; until then ${untilThen}.`);
		return [];
	},
});

const hostName = matching(HOST_PATTERN, "a host name, like example.com or *.example.com");

/** What processes may reach. */
export const networkSetting: Kind<NetworkSetting> = {
	expected: "off, on, or a list of host names",
	read: (value, source) => oneOf(["off", "on"]).read(value, source) ?? listOf(hostName).read(value, source),
};

/** A value in a message: short, and without anything that was nested in it. */
export function describe(value: unknown): string {
	if (Array.isArray(value)) return "a list";
	if (typeof value === "object" && value !== null) return "an object";
	if (typeof value !== "string") return String(value);
	return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
