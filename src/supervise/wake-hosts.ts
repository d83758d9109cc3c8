import { type HostRecord, listHosts } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Ports } from "../ports/ports.ts";
import { reapDead } from "../processes/reaper.ts";
import { HostConnection } from "./connection.ts";

const WOKEN_WITHIN_MS = 1000;

/**
 * Has all hosts look at the ledger at once, and reaps those that are dead, so that no run waits out their leases: for a
 * process that has no connections of its own. A host that does not hear it looks at its next heartbeat.
 */
export async function wakeHosts(ledger: Ledger, ports: Ports): Promise<void> {
	await Promise.all(listHosts(ledger).map((host) => wake(ledger, host, ports)));
}

async function wake(ledger: Ledger, host: HostRecord, ports: Ports): Promise<void> {
	try {
		const connection = await HostConnection.open(host.socket, ports);
		connection.wake();
		// Once it has answered what came after the wake, it has seen the wake.
		await connection.answers(WOKEN_WITHIN_MS);
		connection.close();
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		if (ports.processes.isDead(host)) reapDead(ledger, host, ports);
	}
}
