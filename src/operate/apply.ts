import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { changeFiles } from "../ledger/change-files.ts";
import { beginChange, type ChangesRecord, settleChange } from "../ledger/changes.ts";
import type { RunRecord } from "../ledger/records.ts";
import { isDead } from "../processes/host-process.ts";
import { processStart } from "../processes/process-start.ts";
import type { ChangesState } from "../run/changes.ts";
import type { RunId } from "../run/ids.ts";
import { findAt, isSameState } from "../trees/apply/file-state.ts";
import { type Journal, readJournal, type Side } from "../trees/apply/journal.ts";
import { moveFiles } from "../trees/apply/move.ts";
import { stageChanges } from "../trees/apply/stage.ts";
import { findCheckout } from "../trees/checkout.ts";
import { type ChangeSources, denied, requireChanges, whyNotWhole } from "./changes.ts";
import type { Denial } from "./denial.ts";

export interface ChangeRequest extends ChangeSources {
	/** The requester, as recorded with the operation. */
	by: string;
}

export interface ChangeDone {
	runId: RunId;
	/** already: the changes were in that state before, and nothing was done. */
	done: "applied" | "undone" | "branched" | "discarded" | "already";
	state: ChangesState;
	files: number;
	branch?: string;
}

/** Nothing was changed. */
export interface ChangeRefused extends Denial {
	/** The files that do not fit. */
	conflicts?: string[];
}

/** Applies the changes of a run to the checkout: all of them, or none. */
export async function applyChanges(record: RunRecord, request: ChangeRequest): Promise<ChangeDone | ChangeRefused> {
	const changes = await requireChanges(record, request);
	if ("error" in changes) return changes;
	const { runId, state, cwd } = changes;
	if (state === "applied") return done(changes, "already", "applied");
	if (state === "superseded") return denied(`A later run of the same session includes the changes of run ${runId}.`);
	const wrong = await whyNotWhole(changes, "patch", request);
	if (wrong) return wrong;
	return change(changes, request, {
		via: "applying",
		from: ["pending", "branched", "applying", "undoing"],
		to: "after",
		settled: { state: "applied", what: "applied" },
		async journal(folder) {
			const { patch } = changeFiles(request.places, runId);
			return stageChanges({ patch, checkout: await findCheckout(cwd), folder });
		},
	});
}

/** Reverts applied changes in the checkout: every file is then as it was before. */
export async function undoChanges(record: RunRecord, request: ChangeRequest): Promise<ChangeDone | ChangeRefused> {
	const changes = await requireChanges(record, request);
	if ("error" in changes) return changes;
	const back = changes.branch === undefined ? "pending" : "branched";
	if (changes.state === "pending" || changes.state === "branched") return done(changes, "already", changes.state);
	const answer = await change(changes, request, {
		via: "undoing",
		from: ["applied", "applying", "undoing"],
		to: "before",
		settled: { state: back, what: "undone" },
		// A process was killed before it touched any file.
		journal: async () =>
			changes.state === "applied" ? undefined : { top: "", entries: [], newFolders: [], folderModes: {} },
	});
	if ("done" in answer) await rm(changeFiles(request.places, changes.runId).applied, { recursive: true, force: true });
	return answer;
}

interface Change {
	via: "applying" | "undoing";
	from: readonly ChangesState[];
	to: Side;
	settled: { state: ChangesState; what: "applied" | "undone" };
	/** For an operation that has not begun yet. */
	journal(folder: string): Promise<Journal | { conflicts: string[] } | undefined>;
}

async function change(
	changes: ChangesRecord,
	{ ledger, places, by }: ChangeRequest,
	{ via, from, to, settled, journal: begin }: Change,
): Promise<ChangeDone | ChangeRefused> {
	const { runId } = changes;
	const begun = beginChange(ledger, runId, { to: via, from, holder: thisProcess() });
	if ("busyWith" in begun) return denied(`Changes of run ${begun.busyWith} are being applied right now. Try again.`);
	if ("is" in begun) return denied(`The changes of run ${runId} are ${begun.is ?? "gone"}.`);
	const folder = changeFiles(places, runId).applied;
	let known: Journal | undefined;
	const goBack = () => settleChange(ledger, runId, { to: begun.was });
	try {
		const wasInterrupted = begun.was === "applying" || begun.was === "undoing" || begun.was === "applied";
		const journal = (wasInterrupted ? readJournal(folder) : undefined) ?? (await begin(folder));
		if (journal === undefined) {
			goBack();
			return denied(`The state of the checkout before run ${runId} was applied is no longer kept.`);
		}
		if ("conflicts" in journal) {
			await rm(folder, { recursive: true, force: true });
			settleChange(ledger, runId, { to: changes.branch === undefined ? "pending" : "branched" });
			return conflict(journal.conflicts, "The patch does not apply to these files");
		}
		known = journal;
		const { changed } = moveFiles({ journal, folder, runId, to });
		if (changed.length > 0) {
			goBack();
			return conflict(changed, "These files have changed since");
		}
	} catch (error) {
		// A half-done operation matches neither side. It stays as it is, so that the user can repeat or undo it.
		if (known === undefined || isUntouched(known, to)) goBack();
		else settleChange(ledger, runId, { to: via });
		throw error;
	}
	const deed = { what: settled.what, by, at: Date.now() };
	settleChange(ledger, runId, { to: settled.state, deed });
	return done(changes, settled.what, settled.state);
}

function isUntouched({ top, entries }: Journal, to: Side): boolean {
	return entries.every((entry) => isSameState(findAt(top, entry.path), to === "after" ? entry.before : entry.after));
}

const conflict = (conflicts: string[], why: string): ChangeRefused => ({
	...denied(`Nothing was changed. ${why}: ${conflicts.slice(0, NAMED_CONFLICTS).join(", ")}${more(conflicts)}`),
	conflicts,
});

const NAMED_CONFLICTS = 20;

const more = ({ length }: readonly string[]): string =>
	length > NAMED_CONFLICTS ? ` and ${length - NAMED_CONFLICTS} more` : "";

const done = ({ runId, total, branch }: ChangesRecord, what: ChangeDone["done"], state: ChangesState): ChangeDone => ({
	runId,
	done: what,
	state,
	files: total.files,
	...(branch !== undefined && { branch }),
});

/** Lets other processes check whether this one is still running. Each call has its own name: two may run at once. */
function thisProcess() {
	return {
		name: `${process.pid}:${processStart(process.pid) ?? ""}:${randomUUID()}`,
		isAlive(name: string): boolean {
			const [pid, pidStarted] = name.split(":");
			return !isDead({ pid: Number(pid), pidStarted });
		},
	};
}
