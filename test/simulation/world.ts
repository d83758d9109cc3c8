import type { Ledger } from "../../src/ledger/ledger.ts";
import { requestStop } from "../../src/ledger/progress.ts";
import type { RunId } from "../../src/run/ids.ts";
import { taskIn } from "../faults/child-model.ts";
import { type Random, randomFrom } from "../faults/random.ts";
import { type LedgerTroubleKind, SimDatabase } from "./database.ts";
import { SimFiles } from "./files.ts";
import type { Fault, History, Trouble } from "./plan.ts";
import { SimProcess } from "./process.ts";
import { Scheduler } from "./scheduler.ts";
import { SimWire } from "./wire.ts";

/** Whoever stands outside of the machine: the user, and time itself. */
const OUTSIDE = { isAlive: true, suspendedUntil: 0 };

/** The simulated machine, with everything on it that outlives a process. */
export class World {
	readonly history: History;
	readonly random: Random;
	readonly scheduler: Scheduler;
	readonly wire: SimWire;
	readonly files: SimFiles;
	readonly database: SimDatabase;
	readonly processes = new Map<number, SimProcess>();
	readonly faults: {
		role: string;
		pid: number;
		place: string;
		when: string;
		kind: Fault["kind"] | "power cut";
		at: number;
	}[] = [];
	/** A child at its model. */
	readonly requests: { pid: number; task: string; startedAt: number; endedAt: number }[] = [];
	/** Questions that were put before a user. */
	readonly shown: { seq: number; pid: number; at: number }[] = [];
	/** What happened, for people; only if it is wanted. */
	readonly timeline: string[] | undefined;
	readonly #started = new Map<string, number>();
	/** When the last fault was over. */
	calmSince = 0;
	/** The history is over: nobody opens anything again. */
	isOver = false;
	/** From here on nothing befalls anybody. */
	isCalm = false;
	#outsider: Ledger | undefined;
	#nextPid = 1000;
	#owed: { commits: number; rows: string[] } | undefined;

	constructor(history: History, { traced = false } = {}) {
		this.history = history;
		// Another sequence than the one the plan was drawn from.
		this.random = randomFrom(history.seed ^ 0x5eed);
		this.scheduler = new Scheduler(this.random);
		this.wire = new SimWire(this);
		this.files = new SimFiles(this);
		this.database = new SimDatabase(this);
		this.timeline = traced ? [] : undefined;
		for (const trouble of history.troubles) this.#schedule(trouble);
	}

	start(role: string): SimProcess {
		const nth = this.#started.get(role) ?? 0;
		this.#started.set(role, nth + 1);
		const faults = this.history.faults[role]?.[nth] ?? [];
		const process = new SimProcess(this, role, { pid: this.#nextPid++, faults });
		this.processes.set(process.pid, process);
		this.note(process.name, "starts");
		return process;
	}

	isAlive(pid: number): boolean {
		return this.processes.get(pid)?.isAlive === true;
	}

	kill(pid: number, why: string): void {
		const process = this.processes.get(pid);
		if (!process?.isAlive) return;
		this.note(process.name, `dies: ${why}`);
		this.wire.cut(process);
		for (const request of this.requests)
			if (request.pid === pid) request.endedAt = Math.min(request.endedAt, this.scheduler.time);
		process.die();
	}

	befall(process: SimProcess, fault: Fault, place: string): void {
		if (this.isCalm) return;
		this.#noteFault(process, fault.kind, place);
		if (fault.kind === "kill" || fault.kind === "torn") this.kill(process.pid, `${fault.kind} at ${place}`);
		else if (fault.kind === "cut") this.wire.cut(process);
		else {
			process.suspendedUntil = this.scheduler.elapsed + fault.forMs;
			this.calmSince = Math.max(this.calmSince, process.suspendedUntil);
		}
	}

	/** A process dies with half a line written. */
	tear(process: SimProcess, place: string): void {
		this.#noteFault(process, "torn", place);
		this.kill(process.pid, `torn at ${place}`);
	}

	/** What the ledger's file suffers from just now. */
	ledgerTrouble(): LedgerTroubleKind | undefined {
		const trouble = this.#current("ledger");
		return trouble?.what === "ledger" ? trouble.kind : undefined;
	}

	isForbidden(what: "hosts"): boolean {
		return this.#current(what) !== undefined;
	}

	isFull(): boolean {
		return this.#current("disk") !== undefined;
	}

	/** Calls at a time of its own, whoever is alive. */
	after(ms: number, call: () => void): void {
		this.scheduler.after(ms, OUTSIDE, call);
	}

	/** A run was admitted, or will be if its transaction is committed. */
	admitted(id: RunId, task: string): null {
		const stopAfterMs = taskIn(task)?.stopAfterMs;
		if (stopAfterMs !== undefined) this.#stopLater(id, stopAfterMs);
		return null;
	}

	/** Asks for a stop, as another process of the user would: tried again while the ledger is in trouble. */
	#stopLater(id: RunId, ms: number): void {
		this.after(ms, () => {
			if (this.ledgerTrouble()) return this.#stopLater(id, 500);
			this.#outsider ??= this.database.ledgerOf(new SimProcess(this, "outsider", { pid: 0, faults: [] }));
			requestStop(this.#outsider, id, { at: this.scheduler.now, by: "the user" });
			this.note("user", `asks to stop ${id}`);
		});
	}

	/** Runs that have not come home. */
	owed(): string[] {
		const { commits } = this.database;
		if (this.#owed?.commits !== commits) this.#owed = { commits, rows: this.#readOwed() };
		return this.#owed.rows;
	}

	#readOwed(): string[] {
		const sql = "SELECT id, state, delivery FROM runs WHERE state <> 'ended' OR delivery = 'owed'";
		const rows = this.database.rows.statement(sql).all() as { id: string; state: string; delivery: string }[];
		return rows.map(({ id, state, delivery }) => `run ${id} has not come home (${state}, ${delivery})`);
	}

	note(who: string, what: string, facts?: unknown): void {
		if (!this.timeline) return;
		const at = (this.scheduler.elapsed / 1000).toFixed(3).padStart(9);
		this.timeline.push(`${at}  ${who.padEnd(10)} ${what}${facts === undefined ? "" : ` ${JSON.stringify(facts)}`}`);
	}

	#current(what: Trouble["what"]): Trouble | undefined {
		if (this.isCalm) return undefined;
		const { elapsed } = this.scheduler;
		return this.history.troubles.find(
			(one) => one.what === what && "to" in one && one.from <= elapsed && elapsed < one.to,
		);
	}

	#schedule(trouble: Trouble): void {
		this.calmSince = Math.max(this.calmSince, "to" in trouble ? trouble.to : trouble.from);
		this.after(trouble.from, () => {
			if (this.isCalm) return;
			this.note("machine", `${trouble.what} trouble`, trouble);
			if (trouble.what === "clock") this.scheduler.skew += trouble.by;
			if (trouble.what !== "power cut") return;
			for (const process of this.processes.values()) {
				if (!process.isAlive) continue;
				this.#noteFault(process, "power cut", "everything");
				this.kill(process.pid, "power cut");
			}
		});
	}

	#noteFault({ role, pid, name }: SimProcess, kind: Fault["kind"] | "power cut", place: string): void {
		this.calmSince = Math.max(this.calmSince, this.scheduler.elapsed);
		this.faults.push({ role, pid, place, when: "at", kind, at: this.scheduler.time });
		this.note(name, `FAULT ${kind} at ${place}`);
	}
}
