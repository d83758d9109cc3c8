import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type HostRecord, listHosts } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Places } from "../ledger/places.ts";
import { type HostId, isHostId } from "../run/ids.ts";
import { isDead } from "./host-process.ts";

/** Removes the files that a host kept for itself: its temporary files, and the scripts that replace programs. */
export function removeHostFolder(places: Places, id: HostId): void {
	rmSync(join(places.ringed.hosts, id), { recursive: true, force: true });
}

/** Removes the files of hosts that were killed before they could do it themselves. */
export function sweepHostFolders(ledger: Ledger, places: Places, at: number): number {
	const left = foldersIn(places.ringed.hosts);
	if (left.length === 0) return 0;
	const there = new Set(listHosts(ledger).flatMap((host) => (mayStillRun(host, at) ? [host.id] : [])));
	const gone = left.filter((id) => !there.has(id));
	for (const id of gone) removeHostFolder(places, id);
	return gone.length;
}

/** A host without a recorded pid may still come, for as long as others wait for it. */
const mayStillRun = (host: HostRecord, at: number): boolean =>
	host.pid === undefined ? host.leaseUntil > at : !isDead(host);

function foldersIn(folder: string): HostId[] {
	try {
		return readdirSync(folder).filter(isHostId);
	} catch (error) {
		if (error instanceof Error && "code" in error) return []; // No host had a ring yet.
		throw error;
	}
}
