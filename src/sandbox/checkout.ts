import { realpathSync } from "node:fs";
import { basename, dirname, join, parse, resolve } from "node:path";
import { isOwnRepository, isRepository } from "../files/owner.ts";
import { realPath } from "../files/real-path.ts";
import { readRegularFile } from "../files/regular-file.ts";
import { ancestors } from "../files/repository.ts";

/** The repository around a working directory, or that directory itself. */
export function checkoutAround(cwd: string): string {
	const real = realPath(cwd);
	// A `.git` of another user must not widen what a run may write.
	const repository = ancestors(real).find(isRepository);
	return repository !== undefined && isOwnRepository(repository) ? repository : real;
}

/**
 * The folders that a run may write when it works in the user's checkout: the checkout, and its repository if that is
 * elsewhere. Never the root of the file system.
 */
export function writableCheckout(cwd: string): string[] {
	const checkout = checkoutAround(cwd);
	return checkout === parse(checkout).root ? [] : [checkout, ...repositoryElsewhere(checkout)];
}

/**
 * The repository of a linked worktree or a submodule. A file of the project names it, so it counts only where git itself
 * would put it: the repository names its worktrees too, and a submodule is kept by the repository around it.
 */
function repositoryElsewhere(checkout: string): string[] {
	const [, named] = /^gitdir: (.+)$/m.exec(textAt(join(checkout, ".git")) ?? "") ?? [];
	if (named === undefined) return [];
	const own = realPath(resolve(checkout, named));
	const outer = ancestors(dirname(checkout)).find(isRepository);
	if (outer !== undefined && own.startsWith(join(realPath(join(outer, ".git")), "modules", "/"))) return [own];
	const back = textAt(join(own, "gitdir"))?.trim();
	const isNamedBack = back !== undefined && realPath(resolve(own, back)) === join(checkout, ".git");
	if (!isNamedBack || basename(dirname(own)) !== "worktrees") return [];
	return [dirname(dirname(own))];
}

function textAt(path: string): string | undefined {
	try {
		return readRegularFile(realpathSync(path));
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // It does not exist, or is a folder.
		throw error;
	}
}
