import { homedir } from "node:os";
import { isAbsolute, join, parse, relative } from "node:path";
import { isRepository } from "./owner.ts";
import { realPath } from "./real-path.ts";
import { ancestors, mainCheckoutOf } from "./repository.ts";
import { wayTo } from "./way.ts";

/** Where npm and Python put the programs of a project. npm has those of all folders above on the PATH of its scripts. */
const PROGRAM_FOLDERS = ["node_modules", ".venv", "venv"];

/**
 * The folders whose programs count as the project's. They are wider than the workspace on purpose: if they are too wide, a
 * language server is missing; if they are too narrow, another user's program runs.
 */
export function projectArea({ cwd, root }: { cwd: string; root: string }): string[] {
	const above = foldersAbove(cwd);
	// The outermost repository, of any owner: a repository may contain another one, such as a submodule.
	const outermost = above.findLast(isRepository);
	return [
		root,
		cwd,
		...(outermost === undefined ? [] : [outermost]),
		...[root, ...above].flatMap((folder) => mainCheckoutOf(folder) ?? []),
		...above.flatMap((folder) => PROGRAM_FOLDERS.map((name) => join(folder, name))),
	];
}

/**
 * The folders whose extensions belong to the project. The home folder does not belong to a project, and neither do the
 * extensions that the user installed, although they are below the folder of a session in the home folder.
 */
export function extensionArea(cwd: string, agentDir: string): string[] {
	const real = realPath(cwd);
	const others = [homedir(), agentDir].map(realPath);
	return projectArea({ cwd: real, root: real }).filter((folder) => !others.some((other) => isInside(folder, other)));
}

export const isInArea = (area: readonly string[], path: string): boolean =>
	area.some((folder) => isInside(folder, path));

/** Whether a file is in a repository, or where npm and Python put programs, or a link on the way to it is. */
export const isInSomeProject = (path: string): boolean =>
	(wayTo(path) ?? []).some(
		(step) =>
			step.path.split(/[\\/]/).some((part) => PROGRAM_FOLDERS.includes(part)) ||
			foldersAbove(step.path).some(isRepository),
	);

/** From the working directory up to the home directory or the root, which belong to no project. */
function foldersAbove(cwd: string): string[] {
	const home = realPath(homedir());
	const folders = ancestors(cwd);
	const end = folders.findIndex((folder) => folder === home || folder === parse(folder).root);
	return folders.slice(0, end);
}

export function isInside(folder: string, path: string): boolean {
	const inside = relative(folder, path);
	return inside === "" || (!isAbsolute(inside) && !/^\.\.($|[\\/])/.test(inside));
}

/** Whether a path, or the part of it that exists, is in the project or passes through it. */
export function leadsInto(path: string, area: readonly string[]): boolean {
	if (isInArea(area, path)) return true;
	// A file that does not exist may be written later, in the folder to which its path leads.
	for (let way = path; ; way = way.replace(/[\\/]+[^\\/]*$/, "")) {
		const steps = wayTo(way || "/");
		if (steps) return steps.some((step) => isInArea(area, step.path));
		if (!/[\\/]/.test(way)) return false;
	}
}
