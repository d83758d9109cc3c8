import { realpathSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { isOurs, isOwnRepository, isRepository } from "../files/owner.ts";

export interface AgentFolder {
	path: string;
	/** Other tools keep notes here, so a file without frontmatter is no mistake. */
	shared: boolean;
}

/** In order of precedence. */
const IN_EACH_DIRECTORY = [
	{ name: join(".pi", "agents"), shared: false },
	{ name: ".agents", shared: true },
	{ name: join(".claude", "agents"), shared: false },
];

/** The folders that may hold a project's agents, the ones with precedence first. Several names of one folder count once. */
export function projectFolders(cwd: string, homeDir: string): AgentFolder[] {
	const folders = new Map<string, AgentFolder>();
	for (const directory of projectDirectories(cwd, homeDir)) {
		for (const { name, shared } of IN_EACH_DIRECTORY) {
			const path = join(directory, name);
			const real = realPath(path);
			if (!folders.has(real)) folders.set(real, { path, shared });
		}
	}
	return [...folders.values()];
}

/**
 * From cwd up to the directory of the repository. Neither the home directory nor the root of the file system belongs to a
 * project: `~/.claude/agents` would otherwise be part of every project below home that is no repository. Where there is no
 * repository of the user's, nobody knows how far a project goes: not into a folder of another user, such as `/tmp`.
 */
function projectDirectories(cwd: string, homeDir: string): string[] {
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
	const foreign = directories.findIndex((above) => above !== directories[0] && !isOurs(above));
	return foreign === -1 ? directories : directories.slice(0, foreign);
}

/** As it is where the path does not exist or may not be looked into; reading it reports that. */
function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch (error) {
		if (error instanceof Error && "code" in error) return resolve(path);
		throw error;
	}
}
