import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { findOrReserveHost, hostReady } from "../../src/ledger/hosts.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import type { ProfileKey } from "../../src/ledger/profile-key.ts";
import type { HostId } from "../../src/run/ids.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { keyOf } from "./one-run.ts";
import { type Peer, startPeer } from "./peers.ts";

export interface Scratch {
	/** A folder of the test's own; removed when it is over. */
	folder(): string;
	/** A ledger in such a folder; closed when the test is over. */
	ledger(file?: string, options?: Parameters<typeof openLedger>[1]): Promise<Ledger>;
	/** A second process; killed when the test is over, if it is still there. */
	peer(): Promise<Peer>;
}

/**
 * Call it once in a file. Whatever a test takes from it is gone after that test. What is in memory need not wait for a disk,
 * which is most of what hundreds of ledgers cost.
 */
export function useScratch({ inMemory = false } = {}): Scratch {
	const folders: string[] = [];
	const ledgers: Ledger[] = [];
	const peers: Peer[] = [];
	afterEach(async () => {
		await Promise.all(peers.splice(0).map((peer) => peer.kill()));
		for (const ledger of ledgers.splice(0)) ledger.close();
		for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
	});
	const folder = () => {
		const path = realpathSync(mkdtempSync(join(inMemory ? memoryFolder() : tmpdir(), "pi-geon-ledger-")));
		folders.push(path);
		return path;
	};
	return {
		folder,
		async ledger(file = join(folder(), "ledger.sqlite"), options = {}) {
			const ledger = await openLedger(file, options);
			ledger.redact = NO_REDACTOR.redact;
			ledgers.push(ledger);
			return ledger;
		},
		async peer() {
			const peer = await startPeer();
			peers.push(peer);
			return peer;
		},
	};
}

/** Where a Linux keeps files in memory, if this one does. */
const memoryFolder = (): string => (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

let hosts = 0;

/**
 * A host that is ready to claim. Its lease lasts unless told otherwise. Claims name the profile they are for, so hosts
 * get one each: of one profile, a second host would not be started while the first lives.
 */
export function readyHost(
	ledger: Ledger,
	{
		profile = `of host ${++hosts}`,
		leaseUntil = Number.MAX_SAFE_INTEGER,
	}: { profile?: string | ProfileKey; leaseUntil?: number } = {},
): HostId {
	const { host } = findOrReserveHost(ledger, {
		profile: keyOf(profile),
		at: 0,
		startWithinMs: 1,
		socketOf: (id) => `/sockets/${id}`,
	});
	hostReady(ledger, { id: host.id, pid: process.pid, pidStarted: "then", leaseUntil });
	return host.id;
}
