import { dirname, join, parse, resolve } from "node:path";
import { isOwnFile, isOwnRepository, isRepository } from "../files/owner.ts";
import { realPath } from "../files/real-path.ts";

export interface AgentFolder {
	path: string;
	/** Whether the folders in it are searched as well. */
	subfolders: boolean;
}

/** In order of precedence. Other folders in `.agents/` have other purposes: `.agents/skills/` has pi's skills. */
const AGENT_FOLDERS = [
	{ name: join(".pi", "agents"), subfolders: true },
	{ name: ".agents", subfolders: false },
	{ name: join(".agents", "agents"), subfolders: true },
	{ name: join(".claude", "agents"), subfolders: true },
];

/** The folders that may contain a project's agents, in order of precedence. */
export const projectFolders = (cwd: string, homeDir: string): AgentFolder[] =>
	eachOnce(
		projectDirectories(cwd, homeDir).flatMap((directory) =>
			AGENT_FOLDERS.map(({ name, subfolders }) => ({ path: join(directory, name), subfolders })),
		),
	);

/** The folders of the user's own agents: pi's, then Claude Code's. */
export const userFolders = (userDir: string, homeDir: string): AgentFolder[] =>
	eachOnce([userDir, join(homeDir, ".claude", "agents")].map((path) => ({ path, subfolders: true })));

/** Counts a folder with several paths once. */
function eachOnce(folders: readonly AgentFolder[]): AgentFolder[] {
	const known = new Map<string, AgentFolder>();
	for (const folder of folders) {
		const real = realPath(folder.path);
		if (!known.has(real)) known.set(real, folder);
	}
	return [...known.values()];
}

/**
 * From cwd up to the directory of the repository. The home directory and the root of the file system do not belong to a
 * project: otherwise, `~/.claude/agents` would be part of every project below home that is not a repository. Without a
 * repository of the user, the project ends before the first folder of another user, such as `/tmp`.
 */
export function projectDirectories(cwd: string, homeDir: string): string[] {
	const home = realPath(homeDir);
	const directories: string[] = [];
	let directory = resolve(cwd);
	while (directory !== parse(directory).root && realPath(directory) !== home) {
		directories.push(directory);
		if (isRepository(directory)) {
			if (isOwnRepository(directory)) return directories;
			break;
		}
		directory = dirname(directory);
	}
	const foreign = directories.findIndex((above) => above !== directories[0] && !isOwnFile(above));
	return foreign === -1 ? directories : directories.slice(0, foreign);
}
