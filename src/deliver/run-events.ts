import type { Redactor } from "../collect/redact/redactor.ts";
import { isOwed } from "../ledger/deliveries.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OpenRun } from "../ledger/open-runs.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import type { RunId } from "../run/ids.ts";
import type { RunEvent } from "./run-event.ts";
import { pick, viewOf } from "./run-view.ts";

interface EventSources {
	ledger: Ledger;
	redactor: Redactor;
}

/** Where other extensions listen. */
export interface EventBus {
	emit(name: string, event: RunEvent): void;
}

/**
 * Tells other extensions of the runs of this session: created, started, ended, announced; each once in this process, and
 * in this order. A run of an earlier process is taken up where it stands: what happened before was told there.
 */
export class RunEvents {
	readonly #events: EventBus;
	/** The last that was told of each run that is not over yet. */
	readonly #told = new Map<RunId, RunEvent>();
	#isOver = false;

	constructor(events: EventBus) {
		this.#events = events;
	}

	/** Admitted in this process. */
	created(record: RunRecord, { redactor }: Pick<EventSources, "redactor">): void {
		this.#tell("created", record.run.id, { ...identityOf(record, redactor), state: "queued" });
	}

	/**
	 * Catches up with all runs of the session: those that are open, and those that were when we last looked. Of those
	 * that are being announced nothing is to be found out.
	 */
	observe(open: readonly OpenRun[], sources: EventSources, announcing: { has(id: RunId): boolean } = new Set()): void {
		for (const { id, state } of open) {
			if (!this.#told.has(id)) this.#takeUp(findRun(sources.ledger, id), sources);
			if (state === "running") this.#started(id);
		}
		const openIds = new Set(open.map(({ id }) => id));
		for (const [id, { state }] of [...this.#told]) {
			if (openIds.has(id) || announcing.has(id)) continue;
			// Of an end that was told, only the announce is news.
			const record = state === "ended" && isOwed(sources.ledger, id) ? undefined : findRun(sources.ledger, id);
			if (record) this.saw(record, sources);
		}
	}

	/** Catches up with one run, as the ledger has it now. */
	saw(record: RunRecord, sources: EventSources): void {
		const { run, mode } = record;
		this.#takeUp(record, sources);
		if (run.startedAt !== undefined) this.#started(run.id);
		if (run.state !== "ended") return;
		const told = this.#told.get(run.id);
		if (told && told.state !== "ended") {
			this.#tell("ended", run.id, { ...told, state: "ended", outcome: run.outcome });
		}
		// By another process that has the same session open. Of a foreground run it was the tool's result.
		if (run.delivery.state === "delivered" && mode === "background") this.announced(run.id);
		if (run.delivery.state !== "owed") this.#told.delete(run.id);
	}

	/** The transcript holds its announce. */
	announced(id: RunId): void {
		const told = this.#told.get(id);
		if (told) this.#tell("announced", id, told);
		this.#told.delete(id);
	}

	/** The session is over here, though a call may still wait: pi takes no events from us any more. */
	end(): void {
		this.#isOver = true;
	}

	#takeUp(record: RunRecord | undefined, { redactor }: EventSources): void {
		if (!record || this.#told.has(record.run.id)) return;
		const { state } = record.run;
		// An end is news even if it came while nobody looked: the outcome is on its way.
		this.#told.set(record.run.id, { ...identityOf(record, redactor), state: state === "ended" ? "running" : state });
	}

	#started(id: RunId): void {
		const told = this.#told.get(id);
		if (told?.state === "queued") this.#tell("started", id, { ...told, state: "running" });
	}

	#tell(step: "created" | "started" | "ended" | "announced", id: RunId, event: RunEvent): void {
		this.#told.set(id, event);
		if (!this.#isOver) this.#events.emit(`subagents:${step}`, event);
	}
}

const identityOf = (record: RunRecord, redactor: Redactor): Omit<RunEvent, "state"> => ({
	version: 1,
	...pick(viewOf(record, redactor), ["runId", "sessionKey", "agent", "label"]),
});
