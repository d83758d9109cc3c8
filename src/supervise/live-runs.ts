import type { OpenRun } from "../ledger/open-runs.ts";
import type { Progress } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";

/** A view that shows runs. */
export interface Viewer {
	/** Whether it shows the current progress of this run. */
	shows(id: RunId): boolean;
	/** A run in this view made progress, or the open runs have changed. */
	changed(): void;
}

/** For how many runs to keep the latest progress before a view shows them. A thinking child may send none for a minute. */
const MOST_LIVE_RUNS = 50;

/**
 * The open runs of this session that no call waits for, with the current progress of some: those on the screen, and those
 * that may come there next.
 */
export class LiveRuns {
	readonly #viewers = new Set<Viewer>();
	readonly #progress = new Map<RunId, Progress>();
	/** Runs that a call waits for but has no room to show. */
	readonly #awaited = new Map<RunId, OpenRun["state"]>();
	#open: readonly OpenRun[] = [];

	/** The open runs to show. */
	get open(): readonly Pick<OpenRun, "id" | "state">[] {
		const awaited = [...this.#awaited].map(([id, state]) => ({ id, state }));
		return awaited.length === 0 ? this.#open : [...awaited, ...this.#open];
	}

	await(id: RunId): void {
		this.#awaited.set(id, "queued");
		for (const viewer of this.#viewers) viewer.changed();
	}

	/** The call has its answer, or has stopped waiting. */
	endAwait(id: RunId): void {
		if (!this.#awaited.delete(id)) return;
		if (!this.#isShown(id)) this.#progress.delete(id);
		for (const viewer of this.#viewers) viewer.changed();
	}

	/** The latest progress of a run. */
	progressOf(id: RunId): Progress | undefined {
		return this.#progress.get(id);
	}

	/** Returns a function that detaches it. */
	attach(viewer: Viewer): () => void {
		this.#viewers.add(viewer);
		return () => this.#viewers.delete(viewer);
	}

	/** Receives all runs that are open now, as the ledger has them. */
	observe(open: readonly OpenRun[]): void {
		const isSame = open.length === this.#open.length && open.every((run, index) => isSameRun(run, this.#open[index]));
		this.#open = open;
		if (isSame) return;
		const openIds = new Set(open.map(({ id }) => id));
		for (const id of this.#progress.keys()) {
			if (!openIds.has(id) && !this.#awaited.has(id) && !this.#isShown(id)) this.#progress.delete(id);
		}
		for (const viewer of this.#viewers) viewer.changed();
	}

	/** The open runs whose progress is followed: a thousand runs that no view shows need not send it. */
	followed(open: readonly OpenRun[]): Set<RunId> {
		const followed = new Set(
			open.flatMap(({ id }, index) => (index < MOST_LIVE_RUNS || this.#isShown(id) ? [id] : [])),
		);
		// Outdated progress must not be shown as the latest.
		for (const { id } of open) if (!followed.has(id)) this.#progress.delete(id);
		return followed;
	}

	heard(id: RunId, progress: Progress): void {
		if (this.#awaited.has(id) && progress.startedAt !== undefined) this.#awaited.set(id, "running");
		const isKept = this.#progress.has(id) || this.#progress.size < MOST_LIVE_RUNS;
		if (isKept || this.#isShown(id)) this.#progress.set(id, progress);
		for (const viewer of this.#viewers) if (viewer.shows(id)) viewer.changed();
	}

	#isShown(id: RunId): boolean {
		for (const viewer of this.#viewers) if (viewer.shows(id)) return true;
		return false;
	}
}

const isSameRun = (run: OpenRun, other: OpenRun | undefined): boolean =>
	run.id === other?.id && run.state === other.state;
