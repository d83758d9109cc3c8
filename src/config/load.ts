import type { Diagnostic } from "../run/diagnostic.ts";
import type { Config } from "./config.ts";
import { defaultsOf, type Layer, overlay, pathsOf, type Values } from "./overlay.ts";
import { readConfigFile } from "./read-file.ts";
import { SETTINGS } from "./schema.ts";
import type { Section } from "./setting.ts";

export interface LoadedConfig {
	config: Config;
	diagnostics: Diagnostic[];
	/** Those that exist, usable or not. */
	files: string[];
	/** Those of them of which nothing could be used. */
	unusable: string[];
}

/** The defaults, then the user's file over them, then the project's, which is given only when the project is trusted. */
export function loadConfig(where: { userFile: string; projectFile?: string }): LoadedConfig {
	const diagnostics: Diagnostic[] = [];
	const files: string[] = [];
	const unusable: string[] = [];
	// Its type is SettingsOf<Config>, so what is walked and built from it has the shape of Config.
	const table = SETTINGS as unknown as Section;
	const known = pathsOf(table);
	const lay = (base: Values, file: string, layer: Layer): Values => {
		const read = readConfigFile(file, diagnostics);
		if (read !== "missing") files.push(file);
		if (read === "unusable") unusable.push(file);
		return typeof read === "string" ? base : overlay(table, base, { ...read, layer, known });
	};
	const user = lay(defaultsOf(table), where.userFile, "user");
	const values = where.projectFile === undefined ? user : lay(user, where.projectFile, "project");
	return { config: frozen(values) as unknown as Config, diagnostics, files, unusable };
}

/** A frozen copy, all the way down. */
function frozen(value: unknown): unknown {
	if (Array.isArray(value)) return Object.freeze(value.map(frozen));
	if (typeof value !== "object" || value === null) return value;
	return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozen(inner)])));
}
