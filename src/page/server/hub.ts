import type { Redactor } from "../../collect/redact/redactor.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import { isKnownRun, runMarkOf, runMarks } from "../../ledger/run-marks.ts";
import type { Wire } from "../../ports/wire.ts";
import type { RunId } from "../../run/ids.ts";
import type { LedgerState } from "../api/routes.ts";
import type { Overview, PageRun, RunDetail } from "../api/runs.ts";
import { detailOf } from "./detail.ts";
import { LiveRun } from "./live-run.ts";
import { LedgerAway, type PageLedger } from "./page-ledger.ts";
import { overviewOf, pageRunOf } from "./rows.ts";

/** How often to look while a page is open. These looks are cheap. */
const PAGE_LOOKS_EVERY_MS = 250;
/** Changes of older, finished runs are sent only when a page asks for them. */
const LATEST = 500;

export interface HubSetup {
	ledger: PageLedger;
	redactor: Redactor;
	wire: Wire;
	/** Called when a look fails that no request waits for. */
	onTrouble: (error: unknown) => void;
}

/** One page that receives changes. */
export interface EventsViewer {
	/** Called when there may be news. */
	wake(): void;
}

/** The state of the ledger at the last look, the same for all pages. */
export interface Picture {
	ledger: LedgerState;
	overview: Overview | undefined;
	marks: ReadonlyMap<RunId, string>;
}

const NOTHING: Picture = { ledger: { state: "absent" }, overview: undefined, marks: new Map() };

/** Looks at the ledger for all open pages, and at the hosts of the runs they show. */
export class Hub {
	readonly #setup: HubSetup;
	readonly #viewers = new Map<EventsViewer, RunId | undefined>();
	readonly #live = new Map<RunId, LiveRun>();
	readonly #rows = new Map<RunId, { mark: string; row: PageRun }>();
	#timer: NodeJS.Timeout | undefined;
	#looking: Promise<void> | undefined;
	picture = NOTHING;

	constructor(setup: HubSetup) {
		this.#setup = setup;
	}

	/** Resolves after a look, so that there is something to send. */
	async join(viewer: EventsViewer, runId: RunId | undefined): Promise<void> {
		const isFirst = this.#viewers.size === 0;
		this.#viewers.set(viewer, runId);
		if (runId !== undefined && !this.#live.has(runId)) {
			this.#live.set(runId, new LiveRun(runId, this.#setup.wire, () => this.#wake(runId)));
		}
		// The last look may be long ago, from before the last page left.
		await this.look({ closely: isFirst || runId !== undefined });
		if (this.#viewers.has(viewer)) this.#timer ??= setInterval(() => void this.look(), PAGE_LOOKS_EVERY_MS);
	}

	leave(viewer: EventsViewer): void {
		const runId = this.#viewers.get(viewer);
		this.#viewers.delete(viewer);
		if (runId !== undefined && ![...this.#viewers.values()].includes(runId)) {
			this.#live.get(runId)?.end();
			this.#live.delete(runId);
		}
		if (this.#viewers.size > 0) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
		this.#rows.clear();
		this.picture = NOTHING;
	}

	/** One look at a time: a slow one must not be overtaken. Closely: even if nothing was written. */
	look({ closely = false } = {}): Promise<void> {
		if (this.#looking && !closely) return this.#looking;
		const before = this.#looking ?? Promise.resolve();
		const looking = before.then(() => this.#look(closely)).catch(this.#setup.onTrouble);
		this.#looking = looking;
		void looking.finally(() => {
			if (this.#looking === looking) this.#looking = undefined;
		});
		return looking;
	}

	live(runId: RunId): LiveRun | undefined {
		return this.#live.get(runId);
	}

	/** A run as lists show it. Created once for all pages. */
	row(runId: RunId, mark: string, ledger: Ledger): PageRun | undefined {
		const known = this.#rows.get(runId);
		if (known?.mark === mark) return known.row;
		const record = findRun(ledger, runId);
		const row = record && pageRunOf(record, { ledger, redactor: this.#setup.redactor });
		if (row) this.#rows.set(runId, { mark, row });
		return row;
	}

	detail(record: RunRecord, ledger: Ledger): RunDetail {
		const { redactor } = this.#setup;
		return detailOf(record, { ledger, redactor }, this.#live.get(record.run.id)?.asks);
	}

	end(): void {
		clearInterval(this.#timer);
		for (const live of this.#live.values()) live.end();
		this.#live.clear();
		this.#viewers.clear();
	}

	async #look(closely: boolean): Promise<void> {
		const hasChanged = await this.#setup.ledger.look();
		if (hasChanged || closely) await this.#see();
		// A transcript grows without changing the ledger.
		for (const [viewer, runId] of this.#viewers) if (hasChanged || runId !== undefined) viewer.wake();
	}

	async #see(): Promise<void> {
		const { ledger, redactor } = this.#setup;
		try {
			this.picture = await ledger.read((opened) => {
				const marks = runMarks(opened, LATEST);
				for (const runId of this.#live.keys()) {
					const mark = marks.get(runId) ?? runMarkOf(opened, runId);
					if (mark !== undefined) marks.set(runId, mark);
				}
				for (const known of this.#rows.keys()) if (!marks.has(known)) this.#rows.delete(known);
				const overview = areSameMarks(marks, this.picture.marks) ? this.picture.overview : undefined;
				return {
					ledger: ledger.state,
					overview: overview ?? overviewOf({ ledger: opened, redactor }),
					marks,
				};
			});
			await ledger.read((opened) => Promise.all([...this.#live.values()].map((live) => live.follow(opened))));
		} catch (error) {
			if (!(error instanceof LedgerAway)) throw error;
			this.picture = { ...this.picture, ledger: error.ledger };
		}
	}

	/** Runs that are no longer in the ledger, as opposed to runs that are just old. */
	removed(runIds: readonly RunId[], ledger: Ledger): RunId[] {
		return runIds.filter((runId) => !isKnownRun(ledger, runId));
	}

	#wake(runId: RunId): void {
		for (const [viewer, watched] of this.#viewers) if (watched === runId) viewer.wake();
	}
}

const areSameMarks = (one: ReadonlyMap<RunId, string>, other: ReadonlyMap<RunId, string>): boolean =>
	one.size === other.size && [...one].every(([id, mark]) => other.get(id) === mark);
