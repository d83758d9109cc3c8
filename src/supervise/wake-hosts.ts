import { type HostRecord, listHosts } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Ports } from "../ports/ports.ts";
import { reapDead } from "../processes/reaper.ts";
import { HostConnection } from "./connection.ts";

const WOKEN_WITHIN_MS = 1000;

/**
 * Makes all hosts look at the ledger at once, and reaps dead ones, so that no run waits for their leases to expire. For
 * a process without connections of its own. A host that misses the wake looks at its next heartbeat.
 */
export async function wakeHosts(ledger: Ledger, ports: Ports): Promise<void> {
	await Promise.all(listHosts(ledger).map((host) => wake(ledger, host, ports)));
}

async function wake(ledger: Ledger, host: HostRecord, ports: Ports): Promise<void> {
	try {
		const connection = await HostConnection.open(host.socket, ports);
		connection.wake();
		// A host that answers this ping has also received the wake before it.
		await connection.answers(WOKEN_WITHIN_MS);
		connection.close();
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		if (ports.processes.isDead(host)) reapDead(ledger, host, ports);
	}
}
