import { statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, parse } from "node:path";
import { isInArea, projectArea } from "../../files/project-area.ts";
import type { ServerRings } from "../../sandbox/lent-rings.ts";
import type { ServerDefinition } from "./definition.ts";
import { serverEnvironment } from "./environment.ts";
import { findProgram, type Surroundings } from "./find-program.ts";
import { beginningOf } from "./interpreter.ts";

/** What to start, and where. */
export interface ServerLaunch {
	definition: ServerDefinition;
	/** The definition's command with the program that was found for it. */
	command: readonly string[];
	/** The folder it works on. */
	root: string;
	/** The folder it is started in. */
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** Whether code of the project may run. */
	trusted: boolean;
	idleMs: number;
	/** The ring of a child whose processes the kernel isolates. */
	rings?: ServerRings | undefined;
}

/** How to start a server for a folder. Undefined if it is not installed, or may not run here. */
export function launchIn(
	surroundings: Surroundings & { idleMs: number; rings?: ServerRings | undefined },
	definition: ServerDefinition,
	root: string,
): ServerLaunch | undefined {
	const { workspace, trusted, env, idleMs, rings } = surroundings;
	if (definition.needsTrust !== undefined && !trusted) return undefined;
	const { program } = findProgram(definition, root, surroundings);
	if (program === undefined) return undefined;
	const command = [program, ...definition.command.slice(1)];
	if (trusted)
		return { definition, command, root, cwd: root, env: serverEnvironment(env, undefined), trusted, idleMs, rings };
	const area = projectArea(workspace);
	return {
		definition,
		command: [...interpreterOf(program), ...command],
		root,
		cwd: neutralFolder(area),
		env: serverEnvironment(env, area),
		trusted,
		idleMs,
		rings,
	};
}

/**
 * Starts a server outside the project: version managers, Python and Node all look into the folder in which they start. The
 * server gets the folder to work on in another way.
 */
function neutralFolder(area: readonly string[]): string {
	const home = homedir();
	const isUsable = !isInArea(area, home) && statSync(home, { throwIfNoEntry: false })?.isDirectory() === true;
	return isUsable ? home : parse(process.cwd()).root;
}

const NODE_SCRIPT = /^#!\s*\S*\/env (-S )?node\b/;

/** Runs a script for Node with our own Node, which is the user's, instead of the `node` on the PATH. */
function interpreterOf(program: string): string[] {
	const isNode = /^node(\.exe)?$/.test(basename(process.execPath)) && process.versions.bun === undefined;
	return isNode && NODE_SCRIPT.test(beginningOf(program)) ? [process.execPath] : [];
}
