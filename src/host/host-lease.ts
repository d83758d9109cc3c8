import { hostLeft, hostReady, renewLeases } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Ports } from "../ports/ports.ts";
import { HEARTBEAT_MS, LEASE_MS } from "../processes/lease.ts";
import type { HostId } from "../run/ids.ts";

/** The right of a host to write about its runs. Once it has expired, others may have given the runs to another host. */
export class HostLease {
	readonly #id: HostId;
	readonly #ledger: Ledger;
	readonly #ports: Ports;
	readonly #onLost: () => never;
	/** Until when no other process can have given up on us. */
	#until = 0;
	#askAgainAt = 0;

	constructor({ id, ledger, ports }: { id: HostId; ledger: Ledger; ports: Ports }, onLost: () => never) {
		this.#id = id;
		this.#ledger = ledger;
		this.#ports = ports;
		this.#onLost = onLost;
	}

	get #now(): number {
		return this.#ports.clock.now();
	}

	get hasRunOut(): boolean {
		return this.#now >= this.#until;
	}

	/** False if no process expects this host any more. */
	take(): boolean {
		const leaseUntil = this.#now + LEASE_MS;
		const { pid, started: pidStarted } = this.#ports.processes.self;
		const isExpected = hostReady(this.#ledger, { id: this.#id, pid, pidStarted, leaseUntil });
		if (isExpected) this.#until = leaseUntil;
		return isExpected;
	}

	renew(): void {
		const leaseUntil = this.#now + LEASE_MS;
		if (!renewLeases(this.#ledger, this.#id, leaseUntil)) this.#onLost();
		this.#until = leaseUntil;
	}

	/**
	 * Call this before writing or doing anything for a run. A host that was suspended for longer than its lease may have
	 * been replaced, and finds out only by asking the ledger.
	 */
	assertLeaseHeld(): void {
		if (!this.hasRunOut || this.#now < this.#askAgainAt) return;
		// While the ledger cannot be written, no process can replace us either. Asking a locked ledger takes seconds, in
		// which no child makes progress.
		this.#askAgainAt = this.#now + HEARTBEAT_MS;
		this.renew();
	}

	/** The runs belong to another host now: nothing that their children still do may be recorded. */
	giveUp(): void {
		hostLeft(this.#ledger, this.#id, this.#now);
		this.#until = 0;
	}
}
