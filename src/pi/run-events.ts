import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { OpenRun } from "../ledger/open-runs.ts";
import type { RunRecord } from "../ledger/records.ts";
import { type RunId, sessionKey } from "../run/ids.ts";

/** What other extensions hear on `pi.events` about the runs of this session. */
export interface RunEvent {
	version: 1;
	runId: string;
	sessionKey: string;
	agent: string;
	label?: string;
	state: "queued" | "running" | "ended";
	outcome?: { status: string; exitCode: number };
}

/** Tells other extensions of the runs of this session: each step once, in order. */
export class RunEvents {
	readonly #events: ExtensionAPI["events"];
	readonly #known = new Map<RunId, RunEvent>();

	constructor(events: ExtensionAPI["events"]) {
		this.#events = events;
	}

	created(record: RunRecord): void {
		const event: RunEvent = {
			version: 1,
			runId: record.run.id,
			sessionKey: sessionKey(record.plan.principal.id, record.sessionId),
			agent: record.plan.agent,
			...(record.label !== undefined && { label: record.label }),
			state: "queued",
		};
		this.#known.set(record.run.id, event);
		this.#events.emit("subagents:created", event);
	}

	/** Those that are at work now. */
	observe(open: OpenRun[]): void {
		for (const { id, state } of open) {
			if (state === "running") this.#started(id);
		}
	}

	ended(record: RunRecord): void {
		const { run } = record;
		if (run.state !== "ended") return;
		if (!this.#known.has(run.id)) return;
		this.#started(run.id);
		const { status, exitCode } = run.outcome;
		this.#step(run.id, "ended", "subagents:ended", { outcome: { status, exitCode } });
	}

	announced(id: RunId): void {
		const event = this.#known.get(id);
		if (event) this.#events.emit("subagents:announced", event);
		this.#known.delete(id);
	}

	#started(id: RunId): void {
		if (this.#known.get(id)?.state === "queued") this.#step(id, "running", "subagents:started");
	}

	#step(id: RunId, state: RunEvent["state"], name: string, more: Partial<RunEvent> = {}): void {
		const event = this.#known.get(id);
		if (!event || event.state === state) return;
		const next = { ...event, state, ...more };
		this.#known.set(id, next);
		this.#events.emit(name, next);
	}
}
