import { join } from "node:path";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { findRun, type RunRecord } from "../../src/ledger/records.ts";
import type { ChangeRequest } from "../../src/operate/apply.ts";
import type { RunId } from "../../src/run/ids.ts";
import { TREE_LIMITS } from "../../src/trees/measure.ts";
import { runPlainly } from "../../src/trees/program.ts";
import { bringHome, type Homecoming, openTree, type TreesPlace, type TreeWish } from "../../src/trees/tree-of-run.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { admission, success, type Wish } from "../ledger/samples.ts";

/** Without a ring: what these tests put into trees is their own. */
export const HOW: Homecoming = { limits: TREE_LIMITS, inRing: () => runPlainly };

export const placeIn = (folder: string, ledger: Ledger): TreesPlace => ({
	ledger,
	places: placesIn(join(folder, "agent")),
	root: join(folder, "subagent-worktrees"),
});

export function admitted({ ledger }: TreesPlace, wish: Wish = {}): RunRecord {
	return admitRun(ledger, admission(wish));
}

export const wishOf = ({ run, sessionId }: RunRecord, cwd: string): TreeWish => ({
	runId: run.id,
	sessionId,
	cwd,
	limits: TREE_LIMITS,
	link: [],
	submodules: "warn",
});

/** The run is over, as the ledger sees it. */
export function ended(ledger: Ledger, id: RunId): RunRecord {
	endRun(ledger, { id, fence: 0, outcome: success(), at: Date.now() });
	const record = findRun(ledger, id);
	if (!record) throw new Error(`There is no run ${id}.`);
	return record;
}

/** A run that has worked in a tree, and whose changes have come home. */
export async function worked(
	place: TreesPlace,
	cwd: string,
	work: (tree: string) => void,
	wish: Wish = {},
): Promise<RunRecord> {
	const record = admitted(place, wish);
	work((await openTree(place, wishOf(record, cwd))).cwd);
	const over = ended(place.ledger, record.run.id);
	const home = await bringHome(place, record.run.id, HOW);
	if (!home || "notHarvested" in home) throw new Error(JSON.stringify(home));
	return over;
}

export const requestIn = ({ ledger, places }: TreesPlace): ChangeRequest => ({
	ledger,
	places,
	redactor: NO_REDACTOR,
	by: "the test",
});
