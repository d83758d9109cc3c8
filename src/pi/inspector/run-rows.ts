import { findRun } from "../../ledger/records.ts";
import { countRuns, listRunIds, type RunCount } from "../../ledger/run-list.ts";
import { type RunSources, type RunSummary, summaryOf } from "../../operate/runs.ts";
import type { RunId } from "../../run/ids.ts";

/** More than anybody scrolls through; the others are in `/subagents list`. */
const MOST_ROWS = 100;

export interface RunRows {
	rows: RunSummary[];
	count: RunCount;
}

/** Reads the runs of a session again and again. What has ended and was told does not change any more. */
export function runRows(parentSession: string, sources: RunSources): () => RunRows {
	const settled = new Map<RunId, RunSummary>();
	return () => {
		const ids = listRunIds(sources.ledger, { parentSession }, MOST_ROWS);
		const rows = ids.flatMap((id) => {
			const known = settled.get(id);
			if (known) return [known];
			const record = findRun(sources.ledger, id);
			if (!record) return [];
			const summary = summaryOf(record, sources);
			if (summary.phase === "ended" && summary.delivery !== "owed") settled.set(id, summary);
			return [summary];
		});
		return { rows, count: countRuns(sources.ledger, { parentSession }) };
	};
}
