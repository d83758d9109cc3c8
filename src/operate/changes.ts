import { readFileSync, statSync } from "node:fs";
import type { Redactor } from "../collect/redact/redactor.ts";
import { changeFiles } from "../ledger/change-files.ts";
import { type ChangeEvent, type ChangesRecord, changeEvents, findChanges, listChanges } from "../ledger/changes.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Places } from "../ledger/places.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import type { RunScope } from "../ledger/run-list.ts";
import { findTree } from "../ledger/trees.ts";
import type { RunId } from "../run/ids.ts";
import type { AllRedacted, Redacted } from "../run/redacted.ts";
import { digestIfThere } from "../trees/receive.ts";
import { treeParts } from "../trees/snapshot.ts";
import { bringLeftHome } from "./bring-left-home.ts";
import type { Denial } from "./denial.ts";

export interface ChangeSources {
	ledger: Ledger;
	redactor: Redactor;
	places: Places;
}

/** The changes of a run, for people to read. */
export type ChangesView = AllRedacted<ChangesRecord & { agent: string; events: ChangeEvent[]; patch: string }>;

/** The changes of the runs in scope, the newest first. */
export const viewChanges = (request: RunScope & { limit: number }, sources: ChangeSources): ChangesView[] =>
	listChanges(sources.ledger, request, request.limit).map((one) =>
		viewOfChanges(one, findRun(sources.ledger, one.runId)?.plan.agent ?? "unknown", sources),
	);

/** What a run changed, or why there is nothing to show. */
export async function changesOf(record: RunRecord, sources: ChangeSources): Promise<ChangesView | Denial> {
	const found = await requireChanges(record, sources);
	return "error" in found ? found : viewOfChanges(found, record.plan.agent, sources);
}

const viewOfChanges = (
	changes: ChangesRecord,
	agent: string,
	{ ledger, redactor, places }: ChangeSources,
): ChangesView =>
	redactor.redactValue({
		...changes,
		agent,
		events: changeEvents(ledger, changes.runId),
		patch: changeFiles(places, changes.runId).patch,
	});

export async function requireChanges(record: RunRecord, sources: ChangeSources): Promise<ChangesRecord | Denial> {
	const { run, plan } = record;
	const { ledger, redactor } = sources;
	const changes = findChanges(ledger, run.id);
	const tree = findTree(ledger, run.id);
	// An interrupted attempt may have brought home less than the tree of the next one contains.
	if (changes && (run.state === "ended" || !tree) && tree?.state !== "ready") return changes;
	if (!tree) return denied(`Run ${run.id} (${plan.agent}) has no tree of its own, so it has no changes.`);
	if (run.state !== "ended") return denied(notFinished(record));
	if (wasDiscarded(ledger, run.id)) return denied(`The changes of run ${run.id} were discarded.`);
	if (tree.state !== "ready") return denied(`Run ${run.id} changed nothing.`);
	const why = await bringLeftHome(record, sources);
	if (why === undefined) return findChanges(ledger, run.id) ?? denied(`Run ${run.id} changed nothing.`);
	const where = treeParts(tree.folder).tree;
	return denied(redactor.redact(`The changes of run ${run.id} cannot be brought home: ${why} They are in ${where}`));
}

/** A run that waits for its next attempt continues only while a pi is open. */
const notFinished = ({ run }: RunRecord): string =>
	run.state === "queued" && run.attempt > 0
		? `Run ${run.id} has not finished: its host died, and it waits for another. Its changes come back when it finishes. ` +
			`Open its session in pi to continue it, or end it with \`pi-geon stop ${run.id}\`.`
		: `Run ${run.id} has not finished. Its changes come back when it does. \`pi-geon stop ${run.id}\` ends it.`;

export const wasDiscarded = (ledger: Ledger, runId: RunId): boolean =>
	changeEvents(ledger, runId).at(-1)?.what === "discarded";

/** More than a user reads, and little enough to redact quickly. */
const SHOWN_BYTES = 2 * 1024 * 1024;

/** The patch as text, or why it cannot be shown. */
export async function diffOf(
	record: RunRecord,
	sources: ChangeSources,
): Promise<{ runId: RunId; text: Redacted; cutBytes: number; patch: Redacted } | Denial> {
	const found = await requireChanges(record, sources);
	if ("error" in found) return found;
	const { patch } = changeFiles(sources.places, found.runId);
	const wrong = await whyNotWhole(found, "patch", sources);
	if (wrong) return wrong;
	const { size } = statSync(patch);
	const text = readFileSync(patch).subarray(0, SHOWN_BYTES).toString();
	return {
		runId: found.runId,
		text: sources.redactor.redact(text),
		cutBytes: Math.max(0, size - SHOWN_BYTES),
		patch: sources.redactor.redact(patch),
	};
}

/** A file that differs from its record is not used. */
export async function whyNotWhole(
	{ runId, state, sha256 }: ChangesRecord,
	which: "patch" | "bundle",
	{ places, redactor }: Pick<ChangeSources, "places" | "redactor">,
): Promise<Denial | undefined> {
	if (state === "discarded") return denied(`The changes of run ${runId} were discarded.`);
	const file = changeFiles(places, runId)[which];
	const digest = await digestIfThere(file);
	if (digest === sha256[which]) return undefined;
	return denied(
		redactor.redact(
			digest === undefined ? `${file} is gone.` : `${file} differs from what was recorded, so it is not used.`,
		),
	);
}

export const denied = (error: string): Denial => ({ status: "error", error });
