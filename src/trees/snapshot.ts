import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { TreeBase } from "../run/changes.ts";
import type { Checkout } from "./checkout.ts";
import { GitFailed, git, gitLine, nulWords, type Repository } from "./git.ts";
import { excludeLine, formatOf, gitConfig, objectsOf, shallowOf, TREE_BRANCH, writeGitFolder } from "./git-folder.ts";
import { linkFolders } from "./links.ts";
import { countingTo, type Measured, measure, type TreeLimits, tooManyFiles } from "./measure.ts";
import { type RunProgram, runPlainly } from "./program.ts";
import { TreeRefused } from "./tree-refused.ts";

export interface SnapshotOrder {
	checkout: Checkout;
	/** The folder to create; it must not exist yet. */
	folder: string;
	limits: TreeLimits;
	/** Ignored, large folders of the checkout: the tree gets links to them. */
	link: readonly string[];
	/** Whether a checkout with submodules is refused: a tree does not have their content. */
	submodules: "warn" | "refuse";
	/** Absolute paths that must not be copied if they are in the checkout and git does not know them. */
	hidden?: readonly string[];
	/** How long git may examine the checkout, for tests. */
	patienceMs?: number;
}

/** Longer than git needs for as many files as a tree may have, and shorter than the limit of a tool. */
const SNAPSHOT_WITHIN_MS = 300_000;

export interface Snapshot {
	base: TreeBase;
	warnings: string[];
}

/**
 * The parts of a tree's folder. The child writes only in `tree`, which has a repository of its own. `git` is ours, has the
 * base, and tells what has changed whatever the child did to its own repository.
 */
export const treeParts = (folder: string) => ({
	tree: join(folder, "tree"),
	own: join(folder, "tree", ".git"),
	git: join(folder, "git"),
	bundle: join(folder, "changes.bundle"),
});

/**
 * Makes a copy of the current checkout: HEAD, and staged, changed, deleted and new files, but nothing that is ignored. The
 * user's repository is only read: its objects are borrowed, and its index is copied.
 */
export async function snapshot(order: SnapshotOrder): Promise<Snapshot> {
	const { checkout, folder } = order;
	const parts = treeParts(folder);
	for (const path of [folder, parts.tree]) mkdirSync(path, { mode: 0o700 });
	const { ours, config, excludes, base, measured } = await commitCheckout(order);
	await checkOut({ ...ours, workTree: parts.tree });

	writeGitFolder(parts.own, {
		config: `${config}[user]\n\tname = pi-geon\n\temail = pi-geon@localhost\n`,
		alternates: [join(parts.git, "objects"), ...objectsOf(checkout)],
		...borrowed(checkout),
		excludes,
		commit: base.commit,
	});
	copyWithOlderTime(join(parts.git, "index"), join(parts.own, "index"));
	linkFolders(order.link, { from: checkout.top, to: parts.tree });
	return { base, warnings: warningsOf(measured) };
}

/** The same as a commit in a repository of our own, without a copy of the files. The folder must exist. */
export async function commitCheckout(order: SnapshotOrder) {
	const { checkout, folder } = order;
	const { git: gitDir } = treeParts(folder);
	const config = gitConfig(formatOf(checkout), checkout.settings);
	writeGitFolder(gitDir, { config, alternates: objectsOf(checkout), ...borrowed(checkout) });
	const ours: Repository = { gitDir, workTree: checkout.top };
	copyIndex(checkout, gitDir);

	const measured = await measureCheckout(ours, order);
	const excludes = excludesOf(order, measured);
	writeGitFolder(gitDir, { config, alternates: objectsOf(checkout), ...borrowed(checkout), excludes });
	if (checkout.settings.hasFilters) await forgetFiltered(ours);
	await git(ours, ["add", "--all"], { run: patiently(order) });
	return { ours, config, excludes, measured, base: await commitBase(ours, checkout) };
}

/** Checks whether a tree could be made now, before a run exists. Leaves nothing behind in `scratch`, which must exist. */
export async function measureBefore(order: Omit<SnapshotOrder, "folder">, scratch: string): Promise<Measured> {
	const { checkout } = order;
	if (checkout.repository) {
		const { gitDir } = checkout.repository;
		return measureCheckout({ gitDir, workTree: checkout.top }, order);
	}
	writeGitFolder(scratch, { config: gitConfig("sha1", checkout.settings), alternates: [], ...borrowed(checkout) });
	return measureCheckout({ gitDir: scratch, workTree: checkout.top }, order);
}

async function measureCheckout(
	repository: Repository,
	{ checkout, limits, submodules, patienceMs }: Omit<SnapshotOrder, "folder">,
): Promise<Measured> {
	const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
	const seenEnough = countingTo(limits);
	const listed = await git(repository, list, {
		run: patiently({ checkout, ...(patienceMs !== undefined && { patienceMs }) }, seenEnough),
		// git was killed, once it had listed too many.
		accept: [128],
	});
	const paths = nulWords(listed.stdout);
	const what = `The checkout ${checkout.top}`;
	if (paths.length > limits.maxFiles) throw tooManyFiles(what, limits);
	if (listed.exitCode !== 0) throw new TreeRefused("no_snapshot", new GitFailed("ls-files", listed).message);
	const measured = await measure(paths, { top: checkout.top, limits, what });
	if (submodules === "refuse" && measured.submodules.length > 0) {
		throw new TreeRefused(
			"no_snapshot",
			`${what} has submodules (${firstOf(measured.submodules)}), and subagents.worktree.submodules is "refuse".`,
		);
	}
	return measured;
}

/** git waits forever for the writer of a pipe that has the name of a file it reads, such as `.gitignore`. */
function patiently(
	{ checkout, patienceMs = SNAPSHOT_WITHIN_MS }: Pick<SnapshotOrder, "checkout" | "patienceMs">,
	until?: (part: Buffer) => boolean,
): RunProgram {
	return async (command, options) => {
		const signal = AbortSignal.timeout(patienceMs);
		try {
			return await runPlainly(command, { ...options, signal }, until);
		} catch (error) {
			if (!signal.aborted) throw error;
			const seconds = Math.ceil(patienceMs / 1000);
			throw new TreeRefused(
				"no_snapshot",
				`git did not finish looking at ${checkout.top} within ${seconds} s. A pipe in the place of a .gitignore or .gitattributes makes git wait: find ${checkout.top} -type p`,
			);
		}
	};
}

/** The user's ignore rules and attributes outside the checkout apply in the tree too. */
const borrowed = (checkout: Checkout) => ({
	excludes: checkout.settings.excludes.join("\n"),
	attributes: checkout.settings.attributes.join("\n"),
	...shallowOf(checkout),
});

function excludesOf({ checkout, link, hidden = [] }: SnapshotOrder, { embedded }: Measured): string {
	const inside = hidden.flatMap((path) =>
		path.startsWith(`${checkout.top}/`) ? [path.slice(checkout.top.length + 1)] : [],
	);
	return [...checkout.settings.excludes, ...[...link, ...embedded, ...inside].map(excludeLine), ""].join("\n");
}

function copyIndex({ repository }: Checkout, gitDir: string): void {
	if (!repository) return;
	const index = join(repository.gitDir, "index");
	if (!existsSync(index)) return;
	copyWithOlderTime(index, join(gitDir, "index"));
	// A split index has its larger part in another file.
	for (const name of readdirSync(repository.gitDir)) {
		if (name.startsWith("sharedindex.")) copyWithOlderTime(join(repository.gitDir, name), join(gitDir, name));
	}
}

/**
 * From the time of the index, git tells which of its entries it cannot trust: those of files that were changed in the same
 * instant. Node sets times less finely than the disk keeps them, so this uses a slightly earlier time: git then checks once
 * too often, never once too little.
 */
function copyWithOlderTime(from: string, to: string): void {
	const { mtimeMs } = statSync(from);
	copyFileSync(from, to);
	const time = (Math.floor(mtimeMs) - 1) / 1000;
	utimesSync(to, time, time);
}

/**
 * Files that pass through a filter on their way into the repository (git-lfs) are stored in another form than in the
 * checkout. A tree has no filters, so it copies them as the user sees them.
 */
async function forgetFiltered(ours: Repository): Promise<void> {
	const filtered = await git(ours, ["ls-files", "-z", "--", ".", ":(exclude,attr:!filter)"]);
	if (filtered.stdout.length === 0) return;
	await git(ours, ["update-index", "-z", "--force-remove", "--stdin"], { input: filtered.stdout.toString() });
}

async function commitBase(ours: Repository, checkout: Checkout): Promise<TreeBase> {
	const head = checkout.repository?.head;
	const tree = await gitLine(ours, ["write-tree"]);
	const dirty = tree !== head?.tree;
	const commit =
		head && !dirty
			? head.commit
			: await gitLine(ours, ["commit-tree", tree, ...(head ? ["-p", head.commit] : [])], {
					input: "The working tree when the run began\n",
				});
	// The object of a staged file is known to the user's index alone: the next staging lets `git gc` remove it.
	if (checkout.repository && dirty) {
		const pack = join(ours.gitDir, "objects", "pack", "pack");
		const wanted = `${commit}\n${head ? `^${head.commit}\n` : ""}`;
		await git(ours, ["pack-objects", "--revs", "--quiet", pack], { input: wanted });
	}
	await git(ours, ["update-ref", TREE_BRANCH, commit]);
	return { commit, dirty, ...(head && { head: head.commit }) };
}

/** Writes the files, with one process per core, and their times into the index. */
const checkOut = (ours: Repository) =>
	git(ours, ["checkout-index", "--all", "--force", "--index"], { config: ["checkout.workers=0"] });

const PATHS_NAMED = 5;

const firstOf = (paths: readonly string[]): string =>
	`${paths.slice(0, PATHS_NAMED).join(", ")}${paths.length > PATHS_NAMED ? ` and ${paths.length - PATHS_NAMED} more` : ""}`;

const warningsOf = ({ submodules, embedded }: Measured): string[] => [
	...(submodules.length === 0
		? []
		: [
				`The tree does not have the contents of submodules, and changes there do not come home: ${firstOf(submodules)}`,
			]),
	...(embedded.length === 0
		? []
		: [`The tree does not have folders that are repositories of their own: ${firstOf(embedded)}`]),
];
