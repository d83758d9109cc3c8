import { git, nulWords, type Repository } from "./git.ts";
import type { RunProgram } from "./program.ts";

/** The submodules in the index, with the commit of each. */
export async function submodulesOf(ours: Repository, run: RunProgram): Promise<{ path: string; commit: string }[]> {
	const { stdout } = await git(ours, ["ls-files", "-z", "--stage"], { run });
	return nulWords(stdout).flatMap((line) => {
		const [, commit, path] = /^160000 (\w+) \d\t([\s\S]*)$/.exec(line) ?? [];
		return commit === undefined || path === undefined ? [] : [{ path, commit }];
	});
}
