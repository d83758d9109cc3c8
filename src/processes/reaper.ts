import { type HostRecord, hostDied, hostGone } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Reaper } from "../ledger/sweep.ts";
import type { Ports } from "../ports/ports.ts";
import type { HostId } from "../run/ids.ts";
import { PATIENCE_MS } from "./lease.ts";

/**
 * How long runs wait until the socket of their dead host is removed: while that fails, another host could not make its own
 * socket in that folder either.
 */
const CLEAR_WITHIN_MS = 20_000;

/**
 * Gives up on silent hosts: immediately if the process is dead, otherwise once it has stayed silent while this process
 * watched, which may have been suspended as long as the host was.
 *
 * `ourselves`: the id of this process if it is a host. It learns at its next renewal whether others gave up on it.
 */
export function createReaper(ports: Ports, ourselves?: HostId): Reaper {
	const { clock, processes, wire } = ports;
	const silent = new Map<HostId, { leaseUntil: number; since: number }>();
	const notCleared = new Map<HostId, number>();
	return {
		mayReap(host) {
			if (host.id === ourselves) return false;
			if (host.state === "starting" || processes.isDead(host)) return true;
			const known = silent.get(host.id);
			if (known?.leaseUntil === host.leaseUntil) return clock.elapsed() - known.since >= PATIENCE_MS;
			silent.set(host.id, { leaseUntil: host.leaseUntil, since: clock.elapsed() });
			return false;
		},
		elapsed: () => clock.elapsed(),
		restartGracePeriod: (host) => void silent.delete(host.id),
		clear(host, { hasRuns }) {
			if (wire.remove(host.socket)) return true;
			const since = notCleared.get(host.id) ?? clock.elapsed();
			notCleared.set(host.id, since);
			return hasRuns && clock.elapsed() - since >= CLEAR_WITHIN_MS;
		},
		reap(host) {
			silent.delete(host.id);
			notCleared.delete(host.id);
			reap(host, ports);
		},
	};
}

/** Cleans up after a host that is known to be dead, or that never came up. */
export function reapDead(ledger: Ledger, host: HostRecord, { clock, wire }: Ports): void {
	// In this order: no process cleans up after a host that is marked as gone.
	const mark = wire.remove(host.socket) ? hostGone : hostDied;
	mark(ledger, host.id, clock.now());
}

/** Kills the process of a host that the ledger marks as gone, and removes its socket. */
export function reap(host: HostRecord, { processes, wire }: Ports): void {
	processes.end(host);
	wire.remove(host.socket);
}
