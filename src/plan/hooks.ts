import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Config } from "../config/config.ts";
import { isExecutable } from "../config/is-executable.ts";
import { extensionArea, leadsInto } from "../files/project-area.ts";
import { quoted } from "../run/quoted.ts";
import type { HookProgram } from "./plan.ts";

export type HookName = "start" | "stop";

export interface HookSources {
	config: Config;
	/** The agent directory of this pi. Hooks run there, and not in a project that may not be trusted. */
	agentDir: string;
	/** Where the run works. */
	cwd: string;
	/** The folders to search for programs by name. */
	path?: string | undefined;
}

/** The configured program of a hook, or why it cannot be run. Undefined: there is none. */
export function hookFor(
	name: HookName,
	{ config, agentDir, cwd, path = process.env.PATH }: HookSources,
): HookProgram | { problem: string } | undefined {
	const { timeoutMs, [name]: written } = config.subagents.hooks;
	if (written === null) return undefined;
	const [program, ...args] = written;
	if (program === undefined) return { problem: "its setting is not a list with a program and its arguments" };
	const found = findHook(program, { area: () => extensionArea(cwd, agentDir), path });
	return typeof found === "string" ? { command: [found, ...args], timeoutMs, cwd: agentDir } : found;
}

/** The hook in a plan. A program that is not found is kept as written: the log reports it when the hook should have run. */
export function stopHookFor(sources: HookSources): { stopHook?: HookProgram } {
	const hook = hookFor("stop", sources);
	const { stop, timeoutMs } = sources.config.subagents.hooks;
	if (!hook || !stop || stop.length === 0) return {};
	return { stopHook: "problem" in hook ? { command: [...stop], timeoutMs, cwd: sources.agentDir } : hook };
}

/** By name only outside the project: hooks run in every project, and npm puts a project's programs on the PATH. */
function findHook(
	program: string,
	{ area, path = "" }: { area: () => string[]; path?: string | undefined },
): string | { problem: string } {
	if (program.startsWith("~/")) return join(homedir(), program.slice(2));
	if (isAbsolute(program)) return program;
	if (/[\\/]/.test(program)) return { problem: `${quoted(program)} is not an absolute path` };
	const candidates = path
		.split(delimiter)
		.filter(isAbsolute)
		.map((folder) => join(folder, program))
		.filter(isExecutable);
	const project = candidates.length === 0 ? [] : area();
	const found = candidates.find((file) => !leadsInto(file, project));
	if (found !== undefined) return found;
	const passedOver = candidates.length > 0 ? ", except in this project, whose programs are not used" : "";
	return { problem: `there is no program ${quoted(program)} on the PATH${passedOver}` };
}
