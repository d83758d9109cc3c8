import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition } from "../agents/definition.ts";
import { projectDirectories, projectFolders } from "../agents/project-folders.ts";
import { INSTRUCTIONS, TOOL_NOTES } from "./context-file-names.ts";

interface ProjectFolder {
	cwd: string;
	homeDir: string;
	/** Undefined: the user has not decided. */
	isTrusted: boolean | undefined;
}

/**
 * The files of a project that pi reads, and those that instruct a child. `.pi` as a whole: later versions of pi may read
 * more of it.
 */
const BROUGHT = [".pi", join(".agents", "skills"), ...INSTRUCTIONS, ...TOOL_NOTES];

/**
 * Whether a project is untrusted, so that no user may be asked here, and no answer counts. A folder without files that
 * instruct a child or that pi reads needs no decision: there the user's own agents may ask. The files at this moment count:
 * a branch may have brought some since the user answered.
 */
export function isUntrusted({ source }: AgentDefinition, { cwd, homeDir, isTrusted }: ProjectFolder): boolean {
	if (isTrusted !== undefined) return !isTrusted;
	const brought = [
		...projectDirectories(cwd, homeDir).flatMap((folder) => BROUGHT.map((name) => join(folder, name))),
		...projectFolders(cwd, homeDir).map(({ path }) => path),
	];
	return source === "project" || brought.some(mayBeThere);
}

/** A link counts by itself: its target may come later. A path that may not be inspected may exist. */
function mayBeThere(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch (error) {
		if (error instanceof Error && "code" in error) return error.code !== "ENOTDIR";
		throw error;
	}
}
