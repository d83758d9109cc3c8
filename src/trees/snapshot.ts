import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { isInside } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import type { TreeBase } from "../run/changes.ts";
import { type Checkout, findCheckout } from "./checkout.ts";
import { GitFailed, git, gitLine, nulPaths, type Repository } from "./git.ts";
import {
	excludeLine,
	formatOf,
	gitConfig,
	objectsOf,
	shallowFileOf,
	shallowOf,
	TREE_BRANCH,
	writeGitFolder,
} from "./git-folder.ts";
import { linkFolders } from "./links.ts";
import { countingTo, type Measured, measure, type TreeLimits, tooManyFiles } from "./measure.ts";
import { objectFolders } from "./object-folders.ts";
import { type RunProgram, runPlainly } from "./program.ts";
import { submodulesOf } from "./submodules.ts";
import { TreeRefused } from "./tree-refused.ts";

export interface SnapshotOrder {
	checkout: Checkout;
	/** The folder to create; it must not exist yet. */
	folder: string;
	limits: TreeLimits;
	/** Large, ignored folders of the checkout, to which the tree gets links. */
	link: readonly string[];
	/** Whether to refuse a checkout with submodules: a tree does not have their content. */
	submodules: "warn" | "refuse";
	/** Absolute paths that must not be copied if they are in the checkout and git does not know them. */
	hidden?: readonly string[];
	/** How long git may take to examine the checkout. Set by tests only. */
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
 * base, and shows what has changed, no matter what the child did to its own repository.
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

/** The current checkout as a commit in a repository of our own, without a copy of the files. The folder must exist. */
export async function commitCheckout(order: SnapshotOrder) {
	const { checkout, folder } = order;
	requireVisible(order);
	const { git: gitDir } = treeParts(folder);
	const { ours, config } = repositoryBeside(checkout, gitDir);
	const measured = await measureCheckout(ours, order);
	const excludes = excludesOf(order, measured);
	writeGitFolder(gitDir, { config, alternates: objectsOf(checkout), ...borrowed(checkout), excludes });
	if (checkout.settings.hasFilters) await forgetFiltered(ours, patiently(order));
	await addCurrentFiles(ours, patiently(order));
	return { ours, config, excludes, measured, base: await commitBase(ours, checkout) };
}

/**
 * A project may come with its `.git`, where everything may lead to any file. A tree borrows objects and gets copies of a few
 * files: never of those that are hidden from subagents.
 */
export function requireVisible({ checkout, hidden = [] }: Pick<SnapshotOrder, "checkout" | "hidden">): void {
	const { top, repository } = checkout;
	const places = hidden.map(realPath);
	const around = places.filter((place) => !isInside(place, top));
	for (const objects of objectsOf(checkout).flatMap((folder) => objectFolders(folder))) refuseIfInside(around, objects);
	const own = [top, ...(repository ? [realPath(repository.commonDir)] : [])];
	for (const file of copiedFiles(checkout)) {
		if (!own.some((folder) => isInside(folder, realPath(file)))) refuseIfInside([...places, ...NOT_IN_A_RING], file);
	}

	function refuseIfInside(folders: readonly string[], path: string): void {
		const place = folders.find((folder) => isInside(folder, realPath(path)));
		if (place === undefined) return;
		throw new TreeRefused(
			"no_snapshot",
			`The repository of ${top} leads to ${path}, which is in ${place}. That is hidden from subagents, so no copy is made.`,
		);
	}
}

/** A ring has its own. The files of processes are among them, with the variables of this one. */
const NOT_IN_A_RING = ["/proc", "/dev", "/run"];

/** What the repository names or has, besides objects and the files in the checkout, that is copied into a tree. */
const copiedFiles = (checkout: Checkout): string[] => [
	...checkout.settings.named,
	...shallowFileOf(checkout),
	...indexFilesOf(checkout),
];

/** A repository of our own for a checkout, with a copy of its index and none of its configuration that names programs. */
function repositoryBeside(checkout: Checkout, gitDir: string): { ours: Repository; config: string } {
	const config = gitConfig(formatOf(checkout), checkout.settings);
	writeGitFolder(gitDir, { config, alternates: objectsOf(checkout), ...borrowed(checkout) });
	copyIndex(checkout, gitDir);
	return { ours: { gitDir, workTree: checkout.top }, config };
}

/**
 * The first submodule with changes of its own, at any depth; undefined if there is none. `scratch` must exist. Avoids
 * `git status`, which would run git in the submodule with the submodule's own configuration.
 */
export async function changedSubmodule(checkout: Checkout, scratch: string): Promise<string | undefined> {
	const { ours } = repositoryBeside(checkout, mkdtempSync(join(scratch, "submodules-")));
	const run = patiently({ checkout });
	for (const { path, commit } of await submodulesOf(ours, run)) {
		const folder = join(checkout.top, path);
		if (!existsSync(join(folder, ".git"))) continue; // It is not checked out.
		const submodule = await findCheckout(folder);
		if (submodule.repository?.head?.commit !== commit || (await hasChanges(submodule, scratch))) return path;
		const inner = await changedSubmodule(submodule, scratch);
		if (inner !== undefined) return join(path, inner);
	}
	return undefined;
}

/** Whether anything is staged, changed, deleted or new. */
async function hasChanges(checkout: Checkout, scratch: string): Promise<boolean> {
	const { ours } = repositoryBeside(checkout, mkdtempSync(join(scratch, "submodule-")));
	const run = patiently({ checkout });
	if ((await gitLine(ours, ["write-tree"], { run })) !== checkout.repository?.head?.tree) return true;
	const listed = await git(ours, ["ls-files", "-z", "--modified", "--others", "--exclude-standard"], { run });
	return listed.stdout.length > 0;
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
		// git was killed after it had listed too many files.
		accept: [128],
	});
	const paths = nulPaths(listed.stdout);
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
	return [...checkout.settings.excludes, ...[...link, ...embedded.map(String), ...inside].map(excludeLine), ""].join(
		"\n",
	);
}

/**
 * Puts the current files into our index. Submodules stay as they are staged: to check a submodule for changes, git would run
 * what the submodule's configuration says.
 */
async function addCurrentFiles(ours: Repository, run: RunProgram): Promise<void> {
	const links = (await submodulesOf(ours, run)).map(({ path }) => path);
	const mark = async (how: string) => {
		if (links.length === 0) return;
		await git(ours, ["update-index", "-z", how, "--stdin"], { run, input: links.map((path) => `${path}\0`).join("") });
	};
	try {
		await mark("--skip-worktree");
		await git(ours, ["add", "--all"], { run });
		await mark("--no-skip-worktree");
	} catch (error) {
		// For example because of a name that no repository may contain, such as `.GIT`.
		throw error instanceof GitFailed ? new TreeRefused("no_snapshot", error.message) : error;
	}
}

/** Far larger than the index of a tree. The files may be sparse, and their copies would fill the disk. */
const MOST_INDEX_BYTES = 256 * 1024 * 1024;

function copyIndex(checkout: Checkout, gitDir: string): void {
	let left = MOST_INDEX_BYTES;
	for (const from of indexFilesOf(checkout)) {
		const stats = statSync(from);
		// The copy of a pipe or a device would never end.
		if (!stats.isFile()) throw new TreeRefused("no_snapshot", `${from} is not a file.`);
		left -= stats.size;
		if (left < 0) throw new TreeRefused("no_snapshot", `The index of ${checkout.top} is over 256 MiB.`);
		copyWithOlderTime(from, join(gitDir, basename(from)));
	}
}

/** A split index has its larger part in another file. */
const indexFilesOf = ({ repository }: Checkout): string[] =>
	repository === undefined
		? []
		: readdirSync(repository.gitDir)
				.filter((name) => name === "index" || name.startsWith("sharedindex."))
				.map((name) => join(repository.gitDir, name));

/**
 * git does not trust entries of an index whose files changed at the same instant as the index. Node sets times less precisely
 * than the disk stores them, so this uses a slightly earlier time: git may then check a file unnecessarily, but never skips
 * one that it has to check.
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
async function forgetFiltered(ours: Repository, run: RunProgram): Promise<void> {
	const filtered = await git(ours, ["ls-files", "-z", "--", ".", ":(exclude,attr:!filter)"], { run });
	if (filtered.stdout.length === 0) return;
	await git(ours, ["update-index", "-z", "--force-remove", "--stdin"], { input: filtered.stdout });
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
	// Only the user's index refers to the objects of staged files: after the next staging, `git gc` may remove them.
	if (checkout.repository && dirty) {
		const pack = join(ours.gitDir, "objects", "pack", "pack");
		const wanted = `${commit}\n${head ? `^${head.commit}\n` : ""}`;
		// Without the work tree, where git would look for attributes, and wait for a pipe of that name.
		await git({ gitDir: ours.gitDir }, ["pack-objects", "--revs", "--quiet", pack], { input: wanted });
	}
	await git(ours, ["update-ref", TREE_BRANCH, commit]);
	return { commit, dirty, ...(head && { head: head.commit }) };
}

/** Writes the files, with one process per core, and their times into the index. */
const checkOut = (ours: Repository) =>
	git(ours, ["checkout-index", "--all", "--force", "--index"], { config: ["checkout.workers=0"] });

const PATHS_NAMED = 5;

const firstOf = (paths: readonly Buffer[]): string =>
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
