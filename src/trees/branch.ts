import { unpackBundle } from "./bundle.ts";
import type { Checkout } from "./checkout.ts";
import { git, gitLine } from "./git.ts";

export interface BranchOrder {
	checkout: Checkout;
	bundle: string;
	commit: string;
	/** Without `refs/heads/`. */
	name: string;
}

/**
 * made: the branch is new. there: it existed with these commits. taken: it existed with others. The remaining values say
 * why there is none.
 */
export type BranchMade = "made" | "there" | "taken" | "no repository" | "no name for a branch";

/** Puts the commits of a bundle on a new branch of the user's repository. Neither the checkout nor its index changes. */
export async function makeBranch({ checkout, bundle, commit, name }: BranchOrder): Promise<BranchMade> {
	if (!checkout.repository) return "no repository";
	const theirs = { gitDir: checkout.repository.gitDir };
	const { exitCode } = await git(theirs, ["check-ref-format", "--branch", name], { accept: [1, 128, 129] });
	if (exitCode !== 0 || name.startsWith("-")) return "no name for a branch";
	const branch = `refs/heads/${name}`;
	const found = await gitLine(theirs, ["rev-parse", "--verify", "--quiet", branch], { accept: [1] });
	if (found !== "") return found === commit ? "there" : "taken";
	await unpackBundle(theirs, bundle);
	// An empty old value, so that this fails if the branch was made in the meantime.
	await git(theirs, ["update-ref", branch, commit, ""], { hooks: checkout.settings.hooks });
	return "made";
}
