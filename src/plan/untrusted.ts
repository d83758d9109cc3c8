import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition } from "../agents/definition.ts";
import { projectFolders } from "../agents/project-folders.ts";

interface Project {
	cwd: string;
	homeDir: string;
	/** Undefined: nobody has decided. */
	isTrusted: boolean | undefined;
}

/**
 * Whether nobody may be asked here, and no answer counts: in a project that is not trusted. A folder that brings neither
 * agents nor settings needs no decision: there the user's own agents may ask.
 */
export function isUntrusted({ source }: AgentDefinition, { cwd, homeDir, isTrusted }: Project): boolean {
	if (isTrusted !== undefined) return !isTrusted;
	const brought = [join(cwd, ".pi", "pi-geon.json"), ...projectFolders(cwd, homeDir).map(({ path }) => path)];
	return source === "project" || brought.some((path) => existsSync(path));
}
