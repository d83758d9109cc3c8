import { realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { isOwnRepository, isRepository } from "../files/owner.ts";
import { isInside } from "../files/project-area.ts";
import { ancestors } from "../files/repository.ts";
import { LARGEST_SOURCE } from "./source-text.ts";

/** The folder that a session may examine: the repository around its working directory, or that directory itself. */
export class Workspace {
	readonly cwd: string;
	readonly root: string;
	readonly #hidden: readonly string[];

	/** `hidden`: real paths that may not be examined, wherever they are. */
	constructor(cwd: string, hidden: readonly string[] = []) {
		this.cwd = realpathSync(cwd);
		// A `.git` of another user must not widen what we examine.
		const repository = ancestors(this.cwd).find(isRepository);
		this.root = repository !== undefined && isOwnRepository(repository) ? repository : this.cwd;
		this.#hidden = hidden.filter((path) => this.contains(path));
	}

	contains(path: string): boolean {
		return isInside(this.root, path);
	}

	/** The real path of a requested file, if it may be examined. */
	file(asked: string): string {
		const path = realPathIn(resolve(this.cwd, asked));
		const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
		if (path === undefined || !stats) throw new Error(`There is no file ${asked}.`);
		if (!this.contains(path)) throw new Error(`${asked} is outside the workspace ${this.root}.`);
		if (this.hides(path)) throw new Error(`${asked} is hidden from subagents.`);
		if (!stats.isFile()) throw new Error(`${asked} is not a file.`);
		if (stats.size > LARGEST_SOURCE)
			throw new Error(`${asked} is over 2 MiB, which is too large for a language server.`);
		return path;
	}

	/** Whether a real path is hidden. */
	hides(path: string): boolean {
		return this.#hidden.some((place) => path === place || path.startsWith(join(place, sep)));
	}

	/** The real path of a file that a server named; undefined if it may not be read. */
	readable(path: string): string | undefined {
		const real = realPathIn(path);
		if (real === undefined || !this.contains(real) || this.hides(real)) return undefined;
		const stats = statSync(real, { throwIfNoEntry: false });
		return stats?.isFile() === true && stats.size <= LARGEST_SOURCE ? real : undefined;
	}

	/** As the model should write it. */
	show(path: string): string {
		return this.contains(path) ? relative(this.cwd, path) || "." : path;
	}
}

function realPathIn(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
