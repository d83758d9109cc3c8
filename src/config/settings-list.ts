import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../run/is-record.ts";
import { loadConfig } from "./load.ts";
import { readConfigFile } from "./read-file.ts";
import { SETTINGS } from "./schema.ts";
import { isSetting, type Section, type Setting } from "./setting.ts";

/** One setting with its current value. */
export interface SettingNow {
	/** Dotted. */
	key: string;
	value: unknown;
	default: unknown;
	/** Where the value comes from. `unusable`: the user's file has an invalid one, so the default applies. */
	source: "default" | "user" | "project" | "unusable";
	/** What it must be. */
	expected: string;
}

/** All settings, with their values, sources and defaults. */
export function settingsNow(where: { userFile: string; projectFile?: string }): SettingNow[] {
	const effective = loadConfig(where).config;
	const { config: mine, diagnostics } = loadConfig({ userFile: where.userFile });
	const read = readConfigFile(where.userFile, [], { isKnown: false });
	const written = typeof read === "string" ? {} : read.values;
	return everySetting(SETTINGS as unknown as Section).map(([key, setting]) => {
		const value = at(effective, key);
		const ofUser = at(written, key) !== undefined;
		const isUnusable = diagnostics.some((one) => one.severity === "error" && one.key === key);
		const own = isUnusable ? "unusable" : ofUser ? "user" : "default";
		const source = isDeepStrictEqual(value, at(mine, key)) ? own : "project";
		return { key, value, default: setting.default, source, expected: setting.kind.expected };
	});
}

/** The value of a setting according to the user's own file. */
export const ownSetting = (userFile: string, key: string): unknown => at(loadConfig({ userFile }).config, key);

/** The problem with a value for a setting; undefined if there is none, `unknown` if there is no such setting. */
export function settingProblem(key: string, value: unknown): string | undefined {
	const setting = everySetting(SETTINGS as unknown as Section).find(([name]) => name === key)?.[1];
	if (!setting) return `There is no setting ${key}.`;
	const problems: string[] = [];
	const source = { at: () => source, report: (_severity: string, message: string) => void problems.push(message) };
	const read = setting.kind.read(value, source);
	return problems[0] ?? (read === undefined ? `Expected ${setting.kind.expected}.` : undefined);
}

function everySetting(section: Section, before = ""): [string, Setting<unknown>][] {
	return Object.entries(section).flatMap(([key, entry]): [string, Setting<unknown>][] =>
		isSetting(entry) ? [[`${before}${key}`, entry]] : everySetting(entry, `${before}${key}.`),
	);
}

const at = (values: unknown, key: string): unknown =>
	key.split(".").reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), values);
