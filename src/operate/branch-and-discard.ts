import { rm } from "node:fs/promises";
import { changeFiles } from "../ledger/change-files.ts";
import { findChanges, settleChange } from "../ledger/changes.ts";
import type { RunRecord } from "../ledger/records.ts";
import { findTree, treeRemoved } from "../ledger/trees.ts";
import { makeBranch } from "../trees/branch.ts";
import { findCheckout } from "../trees/checkout.ts";
import { removeTreeFolder } from "../trees/remove.ts";
import type { ChangeDone, ChangeRefused, ChangeRequest } from "./apply.ts";
import { denied, requireChanges, wasDiscarded, whyNotWhole } from "./changes.ts";

/** Puts the changes of a run on a branch of the user's repository, with the commits that it made. */
export async function branchChanges(
	record: RunRecord,
	request: ChangeRequest & { name?: string },
): Promise<ChangeDone | ChangeRefused> {
	const changes = await requireChanges(record, request);
	if ("error" in changes) return changes;
	const { runId, commit, cwd, state } = changes;
	const wrong = await whyNotWhole(changes, "bundle", request);
	if (wrong) return wrong;
	const name = request.name ?? usualBranch(record);
	const { bundle } = changeFiles(request.places, runId);
	const checkout = await findCheckout(cwd);
	const made = await makeBranch({ checkout, bundle, commit, name });
	if (made === "no repository") return denied(`${checkout.top} is not in a git repository, so no branch can be made.`);
	if (made === "no name for a branch")
		return denied(`git does not accept ${JSON.stringify(name)} as the name of a branch.`);
	if (made === "taken") return denied(`There already is a branch ${name}, with other commits. Choose another name.`);
	const deed = { what: "branched", by: request.by, at: Date.now() } as const;
	const to = state === "pending" ? "branched" : state;
	if (made === "made") settleChange(request.ledger, runId, { to, deed, branch: name });
	return { runId, done: made === "made" ? "branched" : "already", state: to, files: changes.total.files, branch: name };
}

/** The default name of a branch. */
export const usualBranch = ({ label, run }: Pick<RunRecord, "label" | "run">): string =>
	`pi-geon/${branchWord(label) ?? run.id}`;

/** A label as part of a branch's name; undefined if it is not suitable. */
const branchWord = (label: string | undefined): string | undefined => {
	const word = label
		?.normalize("NFKD")
		.replace(/[^A-Za-z0-9]+/g, "-")
		.replace(/^-+|-+$/g, "")
		.slice(0, 40);
	return word === "" ? undefined : word;
};

/** Removes the changes of a run, or its tree if they could not be brought home. Applied ones must be undone first. */
export async function discardChanges(
	record: RunRecord,
	request: ChangeRequest & { treesRoot: string },
): Promise<ChangeDone | ChangeRefused> {
	const { ledger, places, by } = request;
	const { id: runId, state: runState } = record.run;
	const deed = { what: "discarded", by, at: Date.now() } as const;
	const tree = findTree(ledger, runId);
	if (runState === "ended" && tree && tree.state !== "removed") {
		await removeTreeFolder(tree.folder, request.treesRoot);
		treeRemoved(ledger, runId);
		if (!findChanges(ledger, runId)) {
			settleChange(ledger, runId, { to: "discarded", deed });
			return { runId, done: "discarded", state: "discarded", files: 0 };
		}
	} else if (!findChanges(ledger, runId) && wasDiscarded(ledger, runId)) {
		return { runId, done: "already", state: "discarded", files: 0 };
	}
	const changes = await requireChanges(record, request);
	if ("error" in changes) return changes;
	const { state, total } = changes;
	if (state === "applied") return denied(`The changes of run ${runId} are applied. Undo that first: apply --undo.`);
	if (state === "applying" || state === "undoing") {
		return denied(`Applying the changes of run ${runId} was interrupted. Apply or undo them first.`);
	}
	const files = changeFiles(places, runId);
	if (state !== "discarded") settleChange(ledger, runId, { to: "discarded", deed });
	for (const path of Object.values(files)) await rm(path, { recursive: true, force: true });
	return { runId, done: state === "discarded" ? "already" : "discarded", state: "discarded", files: total.files };
}
