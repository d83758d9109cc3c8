import { rmSync } from "node:fs";
import type { TreeBase } from "../run/changes.ts";
import { messageOf } from "../run/message-of.ts";
import { inTheWay } from "./apply/file-state.ts";
import { GitFailed, git, gitLine, nulPaths, type Repository } from "./git.ts";
import { TREE_BRANCH } from "./git-folder.ts";
import { measure, type TreeLimits } from "./measure.ts";
import type { RunProgram } from "./program.ts";
import { treeParts } from "./snapshot.ts";
import { submodulesOf } from "./submodules.ts";

export interface HarvestOrder {
	/** The tree's folder. */
	folder: string;
	base: TreeBase;
	/** The message of the commit for the uncommitted changes. */
	message: string;
	limits: TreeLimits;
	/** Runs a program inside a ring in which nothing but the tree's folder can be written. */
	inRing: RunProgram;
}

/** How often to look for repositories nested in repositories. */
const MOST_NESTED = 10;

/**
 * Packs the child's changes into a bundle, and returns its path; undefined if nothing has changed. All of this runs inside
 * the ring, because git runs what the configuration of the child's repository says, or of another one in the tree. The bundle
 * is the child's data, which `receiveBundle` checks.
 */
export async function packChanges(order: HarvestOrder): Promise<string | undefined> {
	const { folder, base, message, inRing } = order;
	const parts = treeParts(folder);
	const ours: Repository = { gitDir: parts.git, workTree: parts.tree };
	await addEverything(ours, order);
	const tree = await gitLine(ours, ["write-tree"], { run: inRing });
	if (tree === (await gitLine(ours, ["rev-parse", `${base.commit}^{tree}`], { run: inRing }))) return undefined;

	const pack = async (parent: string) => {
		const parentTree = await gitLine(ours, ["rev-parse", `${parent}^{tree}`], { run: inRing });
		const commit =
			parentTree === tree
				? parent
				: await gitLine(ours, ["commit-tree", tree, "-p", parent], { run: inRing, input: `${message}\n` });
		await git(ours, ["update-ref", TREE_BRANCH, commit], { run: inRing });
		rmSync(parts.bundle, { force: true });
		const but = base.head === undefined ? [] : [`^${base.head}`];
		await git(ours, ["bundle", "create", "--quiet", parts.bundle, TREE_BRANCH, ...but], { run: inRing });
	};
	const own = await ownCommit(ours, order);
	if (own === undefined) await pack(base.commit);
	// If objects of its commits are missing or damaged, bring home only the files.
	else await pack(own).catch((error) => (error instanceof GitFailed ? pack(base.commit) : Promise.reject(error)));
	return parts.bundle;
}

/** Puts the current files into our index. */
async function addEverything(ours: Repository, order: HarvestOrder): Promise<void> {
	try {
		await addReadable(ours, order);
	} catch (error) {
		if (!/permission denied/i.test(messageOf(error))) throw error;
		// Tests often remove their own access to a file or a folder and do not restore it. git does not store such permissions.
		const { tree } = treeParts(order.folder);
		await order.inRing(["chmod", "-R", "u+rwX", "--", tree], { cwd: order.folder, env: {} });
		await addReadable(ours, order);
	}
}

/** git would add a repository inside the tree as a mere link to a commit. */
async function addReadable(ours: Repository, { folder, limits, inRing: run }: HarvestOrder): Promise<void> {
	const { tree } = treeParts(folder);
	// With one program for all: a child can make thousands of them.
	const forget = async (paths: readonly Buffer[]) => {
		// Skip a path behind a link, which is not in the tree.
		const inTree = paths.filter((path) => inTheWay(tree, path.toString()) === undefined);
		if (inTree.length === 0) return;
		const input = Buffer.concat(inTree.flatMap((path) => [Buffer.from("./"), path, Buffer.of(0)]));
		const { exitCode, stderr } = await run(["xargs", "-0", "rm", "-rf", "--"], { cwd: tree, env: {}, input });
		if (exitCode !== 0) throw new Error(`Something in the tree cannot be removed: ${stderr.trim()}`);
	};
	// git does not store pipes, and waits forever for the writer of a pipe that has the name of a file it reads, such as
	// `.gitignore`.
	await run(["find", tree, "-type", "p", "-delete"], { cwd: folder, env: {} });
	const repositoryOf = (path: Buffer) => Buffer.concat([path, Buffer.from("/.git")]);
	// Changes in submodules do not come home. To find them, git would run what the submodules' configuration says.
	await forget((await submodulesOf(ours, run)).map(({ path }) => repositoryOf(Buffer.from(path))));
	for (let round = 0; ; round++) {
		const listed = await git(ours, ["ls-files", "-z", "--others", "--modified", "--exclude-standard"], { run });
		const [, path, why = "its path is too long"] = UNSEEN.exec(listed.stderr) ?? [];
		if (path !== undefined) throw new Error(`git cannot look at all of the tree: ${why}: ${path}`);
		const what = `What the subagent changed in ${tree}`;
		const { embedded, special } = await measure(nulPaths(listed.stdout), { top: tree, limits, what });
		await forget(special);
		if (embedded.length === 0 || round === MOST_NESTED) break;
		await forget(embedded.map(repositoryOf));
	}
	await git(ours, ["add", "--all"], { run });
}

/**
 * git's words when it leaves out a folder that it cannot read. It reports success anyway, and the work in there would be lost.
 * A message with a long path is cut before the reason.
 */
const UNSEEN = /^(?:warning: could not open directory|error: cannot lstat) '(.{0,200}).*?(?:': (.+))?$/m;

/** The commit that the child is on, if it made any on top of the base. */
async function ownCommit(ours: Repository, { folder, base, inRing: run }: HarvestOrder): Promise<string | undefined> {
	const { own, tree } = treeParts(folder);
	try {
		const commit = await gitLine({ gitDir: own, workTree: tree }, ["rev-parse", "--verify", "HEAD^{commit}"], { run });
		if (commit === base.commit) return undefined;
		// Fetch the objects instead of borrowing them, so that missing or damaged ones show up now.
		await git(ours, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", own, "HEAD"], { run });
		const { exitCode } = await git(ours, ["merge-base", "--is-ancestor", base.commit, commit], { run, accept: [1] });
		return exitCode === 0 ? commit : undefined;
	} catch (error) {
		// The child removed or broke its repository. Its changes to the files still exist.
		if (error instanceof GitFailed) return undefined;
		throw new Error(`The subagent's commits cannot be read: ${messageOf(error)}`, { cause: error });
	}
}
