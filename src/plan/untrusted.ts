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

/** What pi reads of a project, and what a child is told by it. `.pi` as a whole: later versions of pi may read more of it. */
const BROUGHT = [".pi", join(".agents", "skills"), ...INSTRUCTIONS, ...TOOL_NOTES];

/**
 * Whether no user may be asked here, and no answer counts: in a project that is not trusted. A folder that brings nothing
 * that a child is told by, and nothing that pi reads, needs no decision: there the user's own agents may ask. What is
 * there at this moment counts: a branch may have brought it since the user gave an answer.
 */
export function isUntrusted({ source }: AgentDefinition, { cwd, homeDir, isTrusted }: ProjectFolder): boolean {
	if (isTrusted !== undefined) return !isTrusted;
	const brought = [
		...projectDirectories(cwd, homeDir).flatMap((folder) => BROUGHT.map((name) => join(folder, name))),
		...projectFolders(cwd, homeDir).map(({ path }) => path),
	];
	return source === "project" || brought.some(mayBeThere);
}

/** A link counts by itself: what it leads to may come later. What may not be looked at may be there. */
function mayBeThere(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch (error) {
		if (error instanceof Error && "code" in error) return error.code !== "ENOTDIR";
		throw error;
	}
}
