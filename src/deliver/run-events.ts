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
 * Tells other extensions about the runs of this session: created, started, ended, announced. Each event comes once in this
 * process, in this order. For a run that is older than this process, an earlier process has sent the earlier events, so only
 * those after its current state are sent. Other processes may admit runs too: a host for a late message, or `pi-geon send`.
 */
export class RunEvents {
	readonly #events: EventBus;
	/** The last event of each run that is not over yet. */
	readonly #lastEvents = new Map<RunId, RunEvent>();
	/** The runs whose creation was reported. */
	readonly #created = new Set<RunId>();
	/** Milliseconds since 1970. */
	readonly #since: number;
	#isOver = false;

	/** `since`: now, by the clock that runs are created by. */
	constructor(events: EventBus, since: number) {
		this.#events = events;
		this.#since = since;
	}

	/** The run was admitted in this process. A look may already have found it. */
	created(record: RunRecord, { redactor }: Pick<EventSources, "redactor">): void {
		const { id } = record.run;
		if (this.#created.has(id)) return;
		this.#created.add(id);
		this.#tell("created", id, { ...identityOf(record, redactor), state: "queued" });
	}

	/**
	 * Catches up with all runs of the session that are open, or were open at the last look. Skips those that are being
	 * announced.
	 */
	observe(open: readonly OpenRun[], sources: EventSources, announcing: { has(id: RunId): boolean } = new Set()): void {
		for (const { id, state } of open) {
			if (!this.#lastEvents.has(id)) this.#takeUp(findRun(sources.ledger, id), sources);
			if (state === "running") this.#started(id);
		}
		const openIds = new Set(open.map(({ id }) => id));
		for (const [id, { state }] of [...this.#lastEvents]) {
			if (openIds.has(id) || announcing.has(id)) continue;
			// Once the end of a run was reported, only its announce is news.
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
		const last = this.#lastEvents.get(run.id);
		if (last && last.state !== "ended") {
			this.#tell("ended", run.id, { ...last, state: "ended", outcome: run.outcome });
		}
		// Another process with the same session open announced it. For a foreground run, the tool's result was the
		// delivery.
		if (run.delivery.state === "delivered" && mode === "background") this.announced(run.id);
		if (run.delivery.state !== "owed") this.#lastEvents.delete(run.id);
	}

	/** The transcript contains the run's announce. */
	announced(id: RunId): void {
		const last = this.#lastEvents.get(id);
		if (last) this.#tell("announced", id, last);
		this.#lastEvents.delete(id);
	}

	/** This process has left the session: even if a call still waits, pi accepts no more events from us. */
	end(): void {
		this.#isOver = true;
	}

	#takeUp(record: RunRecord | undefined, { redactor }: EventSources): void {
		if (!record || this.#lastEvents.has(record.run.id)) return;
		if (record.createdAt > this.#since) {
			this.created(record, { redactor });
			return;
		}
		const { state } = record.run;
		// Report an end even if it came while no process looked: its announce is yet to come.
		this.#lastEvents.set(record.run.id, {
			...identityOf(record, redactor),
			state: state === "ended" ? "running" : state,
		});
	}

	#started(id: RunId): void {
		const last = this.#lastEvents.get(id);
		if (last?.state === "queued") this.#tell("started", id, { ...last, state: "running" });
	}

	#tell(step: "created" | "started" | "ended" | "announced", id: RunId, event: RunEvent): void {
		this.#lastEvents.set(id, event);
		if (!this.#isOver) this.#events.emit(`subagents:${step}`, event);
	}
}

const identityOf = (record: RunRecord, redactor: Redactor): Omit<RunEvent, "state"> => ({
	version: 1,
	...pick(viewOf(record, redactor), ["runId", "sessionKey", "agent", "label"]),
});
