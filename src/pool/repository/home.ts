import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changeFiles } from "../../ledger/change-files.ts";
import { findChanges, recordChanges } from "../../ledger/changes.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Places } from "../../ledger/places.ts";
import type { Changes, TreeBase } from "../../run/changes.ts";
import type { RunId } from "../../run/ids.ts";
import { totalOf } from "../../trees/changed-files.ts";
import { findCheckout } from "../../trees/checkout.ts";
import { git, type Repository } from "../../trees/git.ts";
import { formatOf, gitConfig, objectsOf, shallowOf, TREE_BRANCH, writeGitFolder } from "../../trees/git-folder.ts";
import { receiveBundle } from "../../trees/receive.ts";
import { FILES_LISTED } from "../../trees/tree-of-run.ts";
import type { TravellingRepository } from "../job.ts";

export interface HomecomingOrder {
	ledger: Ledger;
	places: Places;
	runId: RunId;
	/** The user's directory that the run is for. */
	cwd: string;
	repository: TravellingRepository;
	/** The bundle that was sent out, if any, which the changes are based on. */
	out: Buffer | undefined;
	/** The bundle that a worker made. */
	home: Buffer;
	/** The commit that the child began with. It may differ from the bundle's, because of the worker's setup. */
	began: string;
	maxBytes: number;
}

/**
 * Receives the changes of a run on a worker, as if its tree had been here: git checks them, this machine makes the patch, and
 * a branch can be made from the bundle. Applies nothing. A second call for the same run gives the same answer.
 */
export async function bringChangesHome(order: HomecomingOrder): Promise<Changes> {
	const { ledger, places, runId, cwd, repository, began } = order;
	const known = findChanges(ledger, runId);
	if (known) {
		const { base, commit, files, total, sha256, warnings } = known;
		return { base, commit, files, total, sha256, warnings };
	}
	const folder = `${changeFiles(places, runId).scratch}.pool`;
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	try {
		const checkout = await findCheckout(cwd);
		const packed = await joinedBundles(order, { folder, checkout });
		const base: TreeBase = {
			commit: began,
			dirty: repository.dirty || began !== repository.commit,
			...(repository.head !== undefined && { head: repository.head }),
		};
		const { files, ...received } = await receiveBundle({
			packed,
			checkout,
			base,
			...changeFiles(places, runId),
			maxBytes: order.maxBytes,
		});
		const total = totalOf(files);
		const changes = { ...received, base, files: files.slice(0, FILES_LISTED), total };
		const at = Date.now();
		const tree = { runId, state: "harvested", folder, cwd, createdAt: at, warnings: [], runEnded: false } as const;
		recordChanges(ledger, { tree: { ...tree, warnings: [] }, at, changes });
		return changes;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Joins the bundles that went out and came back, on top of a commit that the user's repository has. */
async function joinedBundles(
	{ repository, out, home, began }: HomecomingOrder,
	{ folder, checkout }: { folder: string; checkout: Awaited<ReturnType<typeof findCheckout>> },
): Promise<string> {
	const gitDir = join(folder, "git");
	writeGitFolder(gitDir, {
		config: gitConfig(formatOf(checkout), { conversion: [], bare: true }),
		alternates: objectsOf(checkout),
		...shallowOf(checkout),
	});
	const ours: Repository = { gitDir };
	const fetched = async (name: string, bundle: Buffer) => {
		const file = join(folder, `${name}.bundle`);
		writeFileSync(file, bundle, { mode: 0o600 });
		const refs = `+${TREE_BRANCH}:refs/pi-geon/${name}`;
		await git(ours, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", file, refs]);
	};
	if (out) await fetched("out", out);
	await fetched("home", home);
	await git(ours, ["merge-base", "--is-ancestor", repository.commit, began]);
	await git(ours, ["update-ref", TREE_BRANCH, "refs/pi-geon/home"]);
	const packed = join(folder, "packed.bundle");
	const but = repository.head === undefined ? [] : [`^${repository.head}`];
	await git(ours, ["bundle", "create", "--quiet", packed, TREE_BRANCH, ...but]);
	return packed;
}
