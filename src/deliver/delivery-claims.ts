import { randomUUID } from "node:crypto";
import { returnDeliveries, takeDeliveries } from "../ledger/deliveries.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Ports } from "../ports/ports.ts";
import type { RunId } from "../run/ids.ts";

/** How long a delivery is ours after the last time we said so. */
const OURS_MS = 15_000;

/** The outcomes that are for this process to tell, so that no other one that has the same session open tells them too. */
export class DeliveryClaims {
	readonly #ports: Ports;
	#name: string | undefined;
	/** Until when each is ours, by the clock that never goes back: we must not be late to say so again. */
	readonly #until = new Map<RunId, number>();

	/** Since when we have seen claims that end later than any can: they were made before the clock was set back. */
	readonly #farAhead = new Map<string, number>();

	constructor(ports: Ports) {
		this.#ports = ports;
	}

	get size(): number {
		return this.#until.size;
	}

	/** Tells others which process this is, so that they need not wait for it if it is dead. Most sessions never need it. */
	get #deliverer(): string {
		if (this.#name === undefined) {
			const { pid, started } = this.#ports.processes.self;
			this.#name = `${pid}:${started}:${randomUUID()}`;
		}
		return this.#name;
	}

	/** Answers those that are ours now: nobody else's, or of one that is dead. */
	take(ledger: Ledger, ids: readonly RunId[]): Set<RunId> {
		const at = this.#ports.clock.now();
		const taken = takeDeliveries(ledger, ids, {
			deliverer: this.#deliverer,
			at,
			forMs: OURS_MS,
			isAlive: this.#isAlive,
		});
		for (const id of taken) this.#until.set(id, this.#ports.clock.elapsed() + OURS_MS);
		return taken;
	}

	/** Says again that these are ours, long before that runs out. All others are not, nor what another process has taken. */
	keep(ledger: Ledger, ids: readonly RunId[]): void {
		const soon = this.#ports.clock.elapsed() + OURS_MS / 2;
		const runningOut = ids.filter((id) => (this.#until.get(id) ?? 0) < soon);
		const taken = this.take(ledger, runningOut);
		const ours = new Set(ids.filter((id) => taken.has(id) || !runningOut.includes(id)));
		for (const id of this.#until.keys()) if (!ours.has(id)) this.#until.delete(id);
	}

	/** Whether a deliverer may still be there. Where the system does not tell, its time has to run out. */
	readonly #isAlive = (deliverer: string, until: number): boolean => {
		const { clock, processes } = this.#ports;
		const [pid, pidStarted] = deliverer.split(":");
		if (pidStarted !== "" && processes.isDead({ pid: Number(pid), pidStarted })) return false;
		if (until <= clock.now() + OURS_MS) return true;
		// One that is still there says so again, by the new time, while we look on.
		const claim = `${deliverer} ${until}`;
		const since = this.#farAhead.get(claim) ?? clock.elapsed();
		this.#farAhead.set(claim, since);
		return clock.elapsed() - since < OURS_MS;
	};

	/** We turn to another session: whoever opens this one next need not wait. */
	giveBack(ledger: Ledger, session: string): void {
		returnDeliveries(ledger, this.#deliverer, session);
		this.#until.clear();
	}
}
