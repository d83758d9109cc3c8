import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Config } from "./config.ts";

/** The directories of all principals that have one of their own. */
export const principalDirs = (config: Config): string[] =>
	config.agents.list.flatMap(({ agentDir }) => (agentDir === null ? [] : [principalDir(agentDir)]));

/** As it is written in the configuration: absolute, or below the user's home. */
export function principalDir(written: string): string {
	const expanded = written.replace(/^~(?=$|[/\\])/, homedir());
	return isAbsolute(expanded) ? expanded : join(homedir(), expanded);
}
