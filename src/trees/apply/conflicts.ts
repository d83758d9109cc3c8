import { git, type Repository } from "../git.ts";

/** This many paths easily fit on a command line. */
const NAMED_AT_ONCE = 500;

/**
 * The paths of a patch that do not apply to the files. No path of the patch depends on another, so this tries halves of it
 * until each failing path stands alone: git's own messages are meant for people.
 */
export async function conflictsOf(patch: string, paths: readonly string[], staged: Repository): Promise<string[]> {
	if (await fits([])) return [];
	const found: string[] = [];
	for (let from = 0; from < paths.length; from += NAMED_AT_ONCE) {
		found.push(...(await among(paths.slice(from, from + NAMED_AT_ONCE))));
	}
	// If each path applies alone, but not all together, name them all.
	return found.length > 0 ? found : [...paths];

	async function among(some: readonly string[]): Promise<string[]> {
		if (await fits(some)) return [];
		if (some.length <= 1) return [...some];
		const middle = Math.ceil(some.length / 2);
		return [...(await among(some.slice(0, middle))), ...(await among(some.slice(middle)))];
	}

	async function fits(some: readonly string[]): Promise<boolean> {
		const only = some.map((path) => `--include=${path.replace(/[\\*?[\]]/g, "\\$&")}`);
		const check = ["apply", "--check", "--whitespace=nowarn", "--allow-empty", ...only, patch];
		const { exitCode } = await git(staged, check, { accept: [1, 128] });
		return exitCode === 0;
	}
}
