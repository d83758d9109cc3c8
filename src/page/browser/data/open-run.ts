import { batch, effect, signal } from "@preact/signals";
import type { OpenQuestion } from "../../api/actions.ts";
import type { LiveEvents } from "../../api/live.ts";
import type { RunDetail } from "../../api/runs.ts";
import type { PageItem, PageTurns, TranscriptPage } from "../../api/transcript.ts";
import { type Watching, watchAgain } from "./live.ts";
import { tellFailure } from "./notices.ts";
import { ask } from "./request.ts";
import { openRunId } from "./route.ts";

const PAGE_ITEMS = 100;

/** The transcript of the open run. It has `total` items, of which this has those that the user has viewed. */
export interface OpenTranscript {
	version: string;
	total: number;
	items: ReadonlyMap<number, PageItem>;
	note?: string;
}

type Progress = LiveEvents["progress"]["progress"];

export const runDetail = signal<RunDetail | undefined>(undefined);
export const runProblem = signal<string | undefined>(undefined);
export const transcript = signal<OpenTranscript | undefined>(undefined);
export const progress = signal<Progress | undefined>(undefined);
export const questions = signal<readonly OpenQuestion[]>([]);
export const turns = signal<PageTurns["turns"] | undefined>(undefined);

let opened = new AbortController();
const fetching = new Set<number>();

/** Opens the run that the address names. */
export function followOpenRun(): void {
	effect(() => {
		const id = openRunId.value;
		queueMicrotask(() => void openRun(id));
	});
}

async function openRun(id: string | undefined): Promise<void> {
	opened.abort();
	const own = new AbortController();
	opened = own;
	fetching.clear();
	batch(() => {
		runDetail.value = undefined;
		runProblem.value = undefined;
		transcript.value = undefined;
		progress.value = undefined;
		questions.value = [];
		turns.value = undefined;
	});
	if (id !== undefined) await fetchRun(id, own.signal);
	// Even if the run could not be fetched: the stream reports when it exists.
	if (!own.signal.aborted) watchAgain();
}

/** Fetches everything that may have changed while no events arrived. */
export async function refetchRun(): Promise<void> {
	const id = openRunId.value;
	if (id !== undefined) await fetchRun(id, opened.signal);
}

async function fetchRun(id: string, signal: AbortSignal): Promise<void> {
	try {
		const [detail, page] = await Promise.all([
			ask<RunDetail>("run", { id, signal }),
			ask<TranscriptPage>("transcript", { id, signal, query: { limit: PAGE_ITEMS } }),
		]);
		batch(() => {
			runProblem.value = undefined;
			takeDetail(detail);
			takePage(page);
		});
		void fetchTurns();
	} catch (error) {
		if (!signal.aborted) runProblem.value = (error as Error).message;
	}
}

export function watching(): Watching {
	const run = openRunId.value;
	if (run === undefined) return {};
	return { run, ...(transcript.value && { after: transcript.value.total }) };
}

export function takeDetail(detail: RunDetail): void {
	if (detail.runId !== openRunId.value) return;
	const before = runDetail.value;
	batch(() => {
		runDetail.value = detail;
		questions.value = detail.questions;
		if (detail.phase === "ended") progress.value = undefined;
	});
	if (before && before.usage.turns !== detail.usage.turns) void fetchTurns();
}

export function takeTranscript(page: LiveEvents["transcript"]): void {
	if (page.runId === openRunId.value) takePage(page);
}

export function takeProgress({ runId, progress: latest }: LiveEvents["progress"]): void {
	if (runId === openRunId.value) progress.value = latest;
}

export function takeQuestions({ runId, questions: open }: LiveEvents["questions"]): void {
	if (runId === openRunId.value) questions.value = open;
}

function takePage({ version, from, items, total, note }: TranscriptPage): void {
	const before = transcript.value?.version === version ? transcript.value : undefined;
	const all = new Map(before?.items);
	items.forEach((item, index) => {
		// A text that the user expanded stays expanded.
		if (item.whole || !all.get(from + index)?.whole) all.set(from + index, item);
	});
	transcript.value = {
		version,
		total: Math.max(total, before?.total ?? 0),
		items: all,
		...(note !== undefined && { note }),
	};
}

/** Fetches the pages with these positions, unless they are here or already requested. */
export function needItems(first: number, last: number): void {
	const shown = transcript.value;
	const id = openRunId.value;
	if (!shown || id === undefined) return;
	for (let page = Math.floor(first / PAGE_ITEMS); page <= Math.floor(last / PAGE_ITEMS); page++) {
		const from = page * PAGE_ITEMS;
		const isThere = allThere(shown, Math.max(first, from), Math.min(last, from + PAGE_ITEMS - 1));
		if (isThere || fetching.has(page)) continue;
		fetching.add(page);
		void fetchItems(id, from, opened.signal).finally(() => fetching.delete(page));
	}
}

const allThere = ({ items, total }: OpenTranscript, first: number, last: number): boolean => {
	for (let n = first; n <= Math.min(last, total - 1); n++) if (!items.has(n)) return false;
	return true;
};

async function fetchItems(id: string, after: number, signal: AbortSignal): Promise<void> {
	try {
		takePage(await ask<TranscriptPage>("transcript", { id, signal, query: { after, limit: PAGE_ITEMS } }));
	} catch (error) {
		if (!signal.aborted) runProblem.value = (error as Error).message;
	}
}

/** Fetches all of an item that is shown in part. */
export async function fetchWhole(n: number): Promise<void> {
	const id = openRunId.value;
	if (id === undefined) return;
	const { signal } = opened;
	try {
		takePage(await ask<TranscriptPage>("transcript", { id, signal, query: { after: n, whole: 1 } }));
	} catch (error) {
		if (!signal.aborted) tellFailure((error as Error).message);
	}
}

async function fetchTurns(): Promise<void> {
	const id = openRunId.value;
	if (id === undefined) return;
	try {
		const { turns: all } = await ask<PageTurns>("turns", { id, signal: opened.signal });
		turns.value = all;
	} catch {
		// Leave the chart out: the request for the run itself reports the problem.
	}
}
