import { randomUUID } from "node:crypto";
import type { Ledger } from "../ledger/ledger.ts";
import { CLAIM_MS, type Claimer } from "../ledger/process-claims.ts";
import type { Ports } from "../ports/ports.ts";

/** How rows of one kind are claimed, and given back. */
export interface ClaimStore<Id> {
	take(ledger: Ledger, ids: readonly Id[], by: Claimer): Set<Id>;
	giveBack(ledger: Ledger, claimer: string, session: string): void;
}

/**
 * The rows that this process has claimed, so that no other process with the same session open announces or shows them too.
 */
export class ProcessClaims<Id> {
	readonly #ports: Ports;
	readonly #store: ClaimStore<Id>;
	#name: string | undefined;
	/** Until when each claim holds, by the clock that never goes back. This process has to renew it before then. */
	readonly #until = new Map<Id, number>();

	/**
	 * Since when we have seen claims that end later than any claim made now could. They were made before the clock was set
	 * back.
	 */
	readonly #farAhead = new Map<string, number>();

	constructor(ports: Ports, store: ClaimStore<Id>) {
		this.#ports = ports;
		this.#store = store;
	}

	get size(): number {
		return this.#until.size;
	}

	/** Identifies this process to others, so that they need not wait for it if it is dead. Most sessions never need it. */
	get #claimer(): string {
		if (this.#name === undefined) {
			const { pid, started } = this.#ports.processes.self;
			this.#name = `${pid}:${started}:${randomUUID()}`;
		}
		return this.#name;
	}

	/** Returns the rows that this process holds now: they were unclaimed, or claimed by a dead process. */
	take(ledger: Ledger, ids: readonly Id[]): Set<Id> {
		const at = this.#ports.clock.now();
		const taken = this.#store.take(ledger, ids, { name: this.#claimer, at, forMs: CLAIM_MS, isAlive: this.#isAlive });
		for (const id of taken) this.#until.set(id, this.#ports.clock.elapsed() + CLAIM_MS);
		return taken;
	}

	/**
	 * Renews the claims on these rows, long before they expire. Drops all other claims, and those that another process
	 * has taken. Returns the rows that this process still holds.
	 */
	keep(ledger: Ledger, ids: readonly Id[]): Set<Id> {
		const soon = this.#ports.clock.elapsed() + CLAIM_MS / 2;
		const runningOut = ids.filter((id) => (this.#until.get(id) ?? 0) < soon);
		const taken = this.take(ledger, runningOut);
		const ours = new Set(ids.filter((id) => taken.has(id) || !runningOut.includes(id)));
		for (const id of this.#until.keys()) if (!ours.has(id)) this.#until.delete(id);
		return ours;
	}

	/** Whether a claimer may still be alive. If the system cannot tell, its claim has to expire. */
	readonly #isAlive = (claimer: string, until: number): boolean => {
		const { clock, processes } = this.#ports;
		const [pid, pidStarted] = claimer.split(":");
		if (pidStarted !== "" && processes.isDead({ pid: Number(pid), pidStarted })) return false;
		if (until <= clock.now() + CLAIM_MS) return true;
		// A claimer that is still alive renews its claim by the new time while we watch.
		const claim = `${claimer} ${until}`;
		const since = this.#farAhead.get(claim) ?? clock.elapsed();
		this.#farAhead.set(claim, since);
		return clock.elapsed() - since < CLAIM_MS;
	};

	/** Gives the session's claims back when this process leaves it, so that the next process to open it need not wait. */
	giveBack(ledger: Ledger, session: string): void {
		this.#store.giveBack(ledger, this.#claimer, session);
		this.#until.clear();
	}
}
