import { rmSync } from "node:fs";
import { type HostRecord, hostGone } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Undertaker } from "../ledger/sweep.ts";
import type { HostId } from "../run/ids.ts";
import { endProcess, isDead } from "./host-process.ts";
import { PATIENCE_MS } from "./lease.ts";

/**
 * Gives up on silent hosts: at once if the process is dead, and else once it has stayed silent while we looked on. We may
 * have been away as long as it was.
 *
 * `ourselves`: the host that this process is. It finds out at its next renewal what others think of it.
 */
export function undertaker(ourselves?: HostId): Undertaker {
	const silent = new Map<HostId, { leaseUntil: number; since: number }>();
	return {
		mayBury(host) {
			if (host.id === ourselves) return false;
			if (host.state === "starting" || isDead(host)) return true;
			const known = silent.get(host.id);
			if (known?.leaseUntil === host.leaseUntil) return performance.now() - known.since >= PATIENCE_MS;
			silent.set(host.id, { leaseUntil: host.leaseUntil, since: performance.now() });
			return false;
		},
		lookAgain: (host) => void silent.delete(host.id),
		clear: removeSocket,
		bury(host) {
			silent.delete(host.id);
			bury(host);
		},
	};
}

/** Of one that is known to be dead, or that never came up. */
export function buryDead(ledger: Ledger, host: HostRecord): void {
	// In this order: nobody looks after one that is marked as gone.
	removeSocket(host);
	hostGone(ledger, host.id, Date.now());
}

/** Ends what there still is of a host that is gone for the ledger. */
export function bury(host: HostRecord): void {
	endProcess(host);
	removeSocket(host);
}

/** Of a host that cannot do it itself any more. */
function removeSocket(host: HostRecord): void {
	if (process.platform !== "win32") rmSync(host.socket, { force: true });
}
