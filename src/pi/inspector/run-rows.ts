import { inOneLine, plain } from "../../collect/plain.ts";
import { viewOf } from "../../deliver/run-view.ts";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import { countRuns, listRunIds, type RunCount, type RunScope } from "../../ledger/run-list.ts";
import { lookAtQueue, type QueueLook } from "../../operate/queue-position.ts";
import { type RunSources, type RunSummary, summarized } from "../../operate/runs.ts";
import type { RunId } from "../../run/ids.ts";
import { withoutJson } from "../view/without-json.ts";

/** More than a user scrolls through; the others are in `/subagents list`. */
const MOST_ROWS = 100;

/** More than fits a line. */
const MOST_SAID = 300;

/** A run as the list shows it. */
export interface ListedRun extends RunSummary {
	/** The first line of its answer, or of its error. */
	said?: string;
}

export interface RunRows {
	rows: ListedRun[];
	count: RunCount;
}

/** Reads the runs in scope at each call. Reuses finished and delivered runs, which no longer change. */
export function runRows(scope: RunScope, sources: RunSources): () => RunRows {
	const settled = new Map<RunId, ListedRun>();
	return () => {
		const ids = listRunIds(sources.ledger, scope, MOST_ROWS);
		const inQueue = lookAtQueue(sources.ledger);
		const rows = ids.flatMap((id) => {
			const known = settled.get(id);
			if (known) return [known];
			const record = findRun(sources.ledger, id);
			if (!record) return [];
			const summary = listedRun(record, sources, inQueue);
			if (summary.phase === "ended" && summary.delivery !== "owed") settled.set(id, summary);
			return [summary];
		});
		return { rows, count: countRuns(sources.ledger, scope) };
	};
}

function listedRun(record: RunRecord, sources: RunSources, inQueue: QueueLook): ListedRun {
	const view = viewOf(record, sources.redactor);
	const summary = summarized(view, sources, inQueue);
	const said = view.phase === "ended" ? openingOf(view.error ? withoutJson(view.error) : (view.answer ?? "")) : "";
	return said === "" ? summary : { ...summary, said };
}

/** The first line of a text, without Markdown marks. */
function openingOf(text: string): string {
	const lines = plain(text.slice(0, MOST_SAID)).split("\n");
	return inOneLine((lines.find((line) => line.trim() !== "") ?? "").replace(/^#+ |[*`]/g, ""));
}
