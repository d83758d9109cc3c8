import { changeFiles } from "../ledger/change-files.ts";
import { pendingChangesOf } from "../ledger/changes.ts";
import type { RunId, SessionId } from "../run/ids.ts";
import { GitFailed, git } from "./git.ts";
import { digestIfThere } from "./receive.ts";
import { treeParts } from "./snapshot.ts";
import type { TreesPlace } from "./tree-of-run.ts";

/** The earlier run whose changes should be in the new tree, and whether they are. */
export interface CarriedOver {
	from: RunId;
	/** Why the changes are not in it. */
	problem?: string;
}

/**
 * Puts the changes of an earlier run of the same session into a new tree, if the user has not decided about them yet: the
 * child remembers having made them.
 */
export async function carryOver(
	{ ledger, places }: TreesPlace,
	sessionId: SessionId,
	folder: string,
): Promise<CarriedOver | undefined> {
	const pending = pendingChangesOf(ledger, sessionId);
	if (!pending) return undefined;
	const from = pending.runId;
	const { patch } = changeFiles(places, from);
	if ((await digestIfThere(patch)) !== pending.sha256.patch) {
		return { from, problem: `${patch} differs from what was recorded, so it is not used.` };
	}
	const parts = treeParts(folder);
	try {
		await git({ gitDir: parts.git, workTree: parts.tree }, ["apply", "--whitespace=nowarn", patch]);
		return { from };
	} catch (error) {
		if (error instanceof GitFailed) return { from, problem: error.message };
		throw error;
	}
}
