import type { Diagnostic } from "../run/diagnostic.ts";
import type { Config } from "./config.ts";
import { defaultsOf, type Layer, overlay, pathsOf, type Values } from "./overlay.ts";
import { type ConfigFile, readConfigFile } from "./read-file.ts";
import { SETTINGS } from "./schema.ts";
import type { Section } from "./setting.ts";

export interface LoadedConfig {
	config: Config;
	diagnostics: Diagnostic[];
	/** The files that exist, usable or not. */
	files: string[];
}

/** The last readable content of each file. */
export type LastUsable = Map<string, ConfigFile>;

/**
 * The defaults, overridden by the user's file, then by the project's, which is passed only if the project is trusted. If a
 * file cannot be used, its last readable content applies, if known.
 */
export function loadConfig(
	where: { userFile: string; projectFile?: string },
	last: LastUsable = new Map(),
): LoadedConfig {
	const diagnostics: Diagnostic[] = [];
	const files: string[] = [];
	// Its type is SettingsOf<Config>, so every value built from it has the shape of Config.
	const table = SETTINGS as unknown as Section;
	const known = pathsOf(table);
	const lay = (base: Values, file: string, layer: Layer): Values => {
		const read = readConfigFile(file, diagnostics, { isKnown: last.has(file) });
		if (read !== "missing") files.push(file);
		if (read === "missing") last.delete(file);
		else if (read !== "unusable") last.set(file, read);
		const usable = last.get(file);
		return usable ? overlay(table, base, { ...usable, layer, known }) : base;
	};
	const user = lay(defaultsOf(table), where.userFile, "user");
	const values = where.projectFile === undefined ? user : lay(user, where.projectFile, "project");
	return { config: frozen(values) as unknown as Config, diagnostics, files };
}

/** A deeply frozen copy. */
function frozen(value: unknown): unknown {
	if (Array.isArray(value)) return Object.freeze(value.map(frozen));
	if (typeof value !== "object" || value === null) return value;
	return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozen(inner)])));
}
