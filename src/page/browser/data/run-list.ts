import { effect, signal } from "@preact/signals";
import type { PageRun, RunPage } from "../../api/runs.ts";
import { type Filters, filters, passes, queryOf } from "./filters.ts";
import { ledger } from "./live.ts";
import { ask, RequestFailed } from "./request.ts";

const PAGE = 200;

/** The runs that pass the filters and were fetched, newest first. */
export interface RunList {
	rows: readonly PageRun[];
	total: number;
	/** Where the next page begins; absent if there is none. */
	next?: number;
	isLoading: boolean;
	problem?: string;
}

export const runList = signal<RunList>({ rows: [], total: 0, isLoading: true });

let asking = new AbortController();

/** Fetches the beginning of the list again. The current list stays until the answer arrives. */
export async function fetchRuns(): Promise<void> {
	asking.abort();
	const own = new AbortController();
	asking = own;
	const wanted = filters.value;
	runList.value = { ...runList.value, isLoading: true };
	try {
		const query = { ...queryOf(wanted), limit: PAGE };
		const page = await ask<RunPage>("runs", { query, signal: own.signal });
		runList.value = {
			rows: page.runs,
			total: page.total,
			...(page.next !== undefined && { next: page.next }),
			isLoading: false,
		};
	} catch (error) {
		if (!own.signal.aborted) runList.value = { ...runList.value, isLoading: false, ...problemIn(error) };
	}
}

/** A missing ledger is not a problem if nothing was ever delegated. */
function problemIn(error: unknown): Pick<RunList, "problem"> {
	if (error instanceof RequestFailed && error.failure.ledger) ledger.value = error.failure.ledger;
	return ledger.value.state === "absent" ? {} : { problem: (error as Error).message };
}

/** Fetches the beginning again after events may have been missed. Keeps older pages that the reader has seen. */
export async function refetchRuns(): Promise<void> {
	const before = runList.value;
	await fetchRuns();
	const { rows, next } = runList.value;
	const oldest = rows.at(-1)?.seq ?? 0;
	const older = next === undefined ? [] : before.rows.filter(({ seq }) => seq < oldest);
	if (older.length === 0) return;
	const { next: _next, ...list } = runList.value;
	runList.value = {
		...list,
		rows: [...rows, ...older],
		...(before.next !== undefined && { next: before.next }),
	};
}

/** Fetches another page when the reader comes near the end. */
export async function fetchMoreRuns(): Promise<void> {
	const { next, isLoading, rows } = runList.value;
	if (next === undefined || isLoading) return;
	const { signal: until } = asking;
	runList.value = { ...runList.value, isLoading: true };
	try {
		const query = { ...queryOf(filters.value), limit: PAGE, before: next };
		const page = await ask<RunPage>("runs", { query, signal: until });
		const { next: _before, ...list } = runList.value;
		runList.value = {
			...list,
			rows: merged(rows.length === list.rows.length ? rows : list.rows, page.runs),
			...(page.next !== undefined && { next: page.next }),
			isLoading: false,
		};
	} catch (error) {
		if (!until.aborted) runList.value = { ...runList.value, isLoading: false, ...problemIn(error) };
	}
}

/** Receives new and changed rows. */
export function takeRows(changed: readonly PageRun[]): void {
	const list = runList.value;
	const rows = withChanges(list, changed, filters.value);
	if (rows === list.rows) return;
	runList.value = { ...list, rows, total: Math.max(rows.length, list.total + rows.length - list.rows.length) };
}

export function dropRows(ids: readonly string[]): void {
	const gone = new Set<string>(ids);
	const list = runList.value;
	const rows = list.rows.filter(({ runId }) => !gone.has(runId));
	if (rows.length < list.rows.length) {
		runList.value = { ...list, rows, total: list.total - (list.rows.length - rows.length) };
	}
}

function withChanges(list: RunList, changed: readonly PageRun[], wanted: Filters): readonly PageRun[] {
	const byId = new Map<string, PageRun>(changed.map((row) => [row.runId, row]));
	const known = new Set<string>(list.rows.map(({ runId }) => runId));
	const oldest = list.rows.at(-1)?.seq ?? 0;
	// A row that is older than the fetched ones comes with its own page.
	const added = changed.filter(
		(row) => !known.has(row.runId) && passes(row, wanted) && (list.next === undefined || row.seq > oldest),
	);
	const kept = list.rows.flatMap((row) => {
		const now = byId.get(row.runId) ?? row;
		return now === row || passes(now, wanted) ? [now] : [];
	});
	if (added.length === 0 && !changed.some(({ runId }) => known.has(runId))) return list.rows;
	return merged(kept, added);
}

/** Newest first, each once. */
function merged(rows: readonly PageRun[], more: readonly PageRun[]): PageRun[] {
	const all = new Map<string, PageRun>([...rows, ...more].map((row) => [row.runId, row]));
	return [...all.values()].sort((a, b) => b.seq - a.seq);
}

/** Fetches whenever the filters change. */
export function followFilters(): void {
	let before: string | undefined;
	effect(() => {
		const wanted = JSON.stringify(filters.value);
		if (wanted === before) return;
		before = wanted;
		queueMicrotask(() => void fetchRuns());
	});
}
