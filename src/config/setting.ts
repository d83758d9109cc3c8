import type { Diagnostic } from "../run/diagnostic.ts";

/** One key of the configuration. */
export interface Setting<T> {
	readonly default: T;
	readonly kind: Kind<T>;
	/** The value in force when a project asks for `theirs` and the user's file, or the default, says `mine`. */
	fromProject(mine: T, theirs: T): Merged<T>;
}

/** What a value must be. */
export interface Kind<T> {
	readonly expected: string;
	/**
	 * Undefined if the value is unusable. An unusable item of a list is reported and left out instead, so that a typo in
	 * one name does not undo a whole list of denied tools.
	 */
	read(value: unknown, source: Source): T | undefined;
}

export interface Merged<T> {
	value: T;
	/** Why the project's value, or part of it, was ignored. */
	ignored?: string;
}

/** Where values come from: a place in a file, and a way to report problems there. */
export interface Source {
	at(key: string | number): Source;
	report(severity: Diagnostic["severity"], message: string, remedy: string): void;
}

/** The table of a configuration: a setting for each value, nested in the same sections. */
export type SettingsOf<T> = {
	[K in keyof T]: T[K] extends SettingValue ? Setting<T[K]> : SettingsOf<T[K]>;
};

type SettingValue = boolean | number | string | null | readonly unknown[];

/** Any such table, for walking it. */
export interface Section {
	readonly [key: string]: Setting<unknown> | Section;
}

export const isSetting = (entry: Setting<unknown> | Section): entry is Setting<unknown> =>
	typeof entry.fromProject === "function";
