import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Config } from "./config.ts";
import { type LastUsable, loadConfig } from "./load.ts";

/** The directories of all principals that have one of their own. */
export const principalDirs = (config: Config): string[] =>
	config.agents.list.flatMap(({ agentDir }) => (agentDir === null ? [] : [principalDir(agentDir)]));

/** Returns a function for repeated calls that returns the current directories. */
export function principalsOf(agentDir: string): () => string[] {
	const userFile = join(agentDir, "pi-geon.json");
	const last: LastUsable = new Map();
	let known: { version: string; dirs: string[] } | undefined;
	return () => {
		const stats = statSync(userFile, { throwIfNoEntry: false });
		const version = `${stats?.mtimeMs} ${stats?.size}`;
		if (known?.version !== version) known = { version, dirs: principalDirs(loadConfig({ userFile }, last).config) };
		return known.dirs;
	};
}

/** As written in the configuration: absolute, or below the user's home. */
export function principalDir(written: string): string {
	const expanded = written.replace(/^~(?=$|[/\\])/, homedir());
	return isAbsolute(expanded) ? expanded : join(homedir(), expanded);
}
