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
 * Tells other extensions about the runs of this session: created, started, ended, announced. Each event comes once in
 * this process, in this order. A run from before this process opened the session continues from its current state: an
 * earlier process told the earlier events. Others may admit runs meanwhile: a host, for a late message, or `pi-geon
 * send`.
 */
export class RunEvents {
	readonly #events: EventBus;
	/** The last event of each run that is not over yet. */
	readonly #told = new Map<RunId, RunEvent>();
	/** The runs whose creation was told. */
	readonly #created = new Set<RunId>();
	/** Milliseconds since 1970. */
	readonly #since: number;
	#isOver = false;

	/** `since`: now, by the clock that runs are created by. */
	constructor(events: EventBus, since: number) {
		this.#events = events;
		this.#since = since;
	}

	/** Admitted in this process. A look may have found it before we are told. */
	created(record: RunRecord, { redactor }: Pick<EventSources, "redactor">): void {
		const { id } = record.run;
		if (this.#created.has(id)) return;
		this.#created.add(id);
		this.#tell("created", id, { ...identityOf(record, redactor), state: "queued" });
	}

	/**
	 * Catches up with all runs of the session: those that are open, and those that were open at the last look. Runs that
	 * are being announced need no look.
	 */
	observe(open: readonly OpenRun[], sources: EventSources, announcing: { has(id: RunId): boolean } = new Set()): void {
		for (const { id, state } of open) {
			if (!this.#told.has(id)) this.#takeUp(findRun(sources.ledger, id), sources);
			if (state === "running") this.#started(id);
		}
		const openIds = new Set(open.map(({ id }) => id));
		for (const [id, { state }] of [...this.#told]) {
			if (openIds.has(id) || announcing.has(id)) continue;
			// After the end of a run was told, only its announce is news.
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
		// Another process with the same session open announced it. For a foreground run, the tool's result was the
		// delivery.
		if (run.delivery.state === "delivered" && mode === "background") this.announced(run.id);
		if (run.delivery.state !== "owed") this.#told.delete(run.id);
	}

	/** The transcript holds its announce. */
	announced(id: RunId): void {
		const told = this.#told.get(id);
		if (told) this.#tell("announced", id, told);
		this.#told.delete(id);
	}

	/** This process has left the session, though a call may still wait: pi accepts no more events from us. */
	end(): void {
		this.#isOver = true;
	}

	#takeUp(record: RunRecord | undefined, { redactor }: EventSources): void {
		if (!record || this.#told.has(record.run.id)) return;
		if (record.createdAt > this.#since) {
			this.created(record, { redactor });
			return;
		}
		const { state } = record.run;
		// An end is news even if it came while no process looked: the outcome is on its way.
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
