/**
 * A process that does one thing with a tree, and is killed in the middle: where `git` is called with a certain word (by a `git`
 * on its path that kills who called it), at a certain rename, or once the ledger has a tree as harvested.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { openLedger } from "../../src/ledger/ledger.ts";
import { findRun } from "../../src/ledger/records.ts";
import { findTree } from "../../src/ledger/trees.ts";
import type { RunId } from "../../src/run/ids.ts";

export interface TreeJob {
	verb: "open" | "home" | "apply" | "undo";
	folder: string;
	ledger: string;
	main: string;
	runId: RunId;
	/** Killed before so many-th rename, counted from 1. */
	atRename?: number;
	whenHarvested?: boolean;
}

const job = JSON.parse(process.argv[2] ?? "") as TreeJob;
const { renameSync } = fs;
let renames = 0;
fs.renameSync = (from, to) => {
	if (++renames === job.atRename) process.kill(process.pid, "SIGKILL");
	renameSync(from, to);
};
syncBuiltinESMExports();

const { bringHome, openTree } = await import("../../src/trees/tree-of-run.ts");
const { applyChanges, undoChanges } = await import("../../src/operate/apply.ts");
const { HOW, placeIn, requestIn, wishOf } = await import("./runs.ts");

const ledger = await openLedger(job.ledger);
const { transaction } = ledger;
ledger.transaction = (durability, work) => {
	const result = transaction.call(ledger, durability, work) as ReturnType<typeof work>;
	if (job.whenHarvested && findTree(ledger, job.runId)?.state === "harvested") process.kill(process.pid, "SIGKILL");
	return result;
};
const place = placeIn(job.folder, ledger);
const record = findRun(ledger, job.runId);
if (!record) throw new Error(`There is no run ${job.runId}.`);
if (job.verb === "open") await openTree(place, wishOf(record, job.main));
if (job.verb === "home") await bringHome(place, job.runId, HOW);
if (job.verb === "apply") await applyChanges(record, requestIn(place));
if (job.verb === "undo") await undoChanges(record, requestIn(place));
ledger.close();
