import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { settleDeliveries } from "../../ledger/deliveries.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { requestStop } from "../../ledger/progress.ts";
import type { RunId } from "../../run/ids.ts";

const CHECKOUTS_KEPT_MS = 24 * 3600 * 1000;

/** A worker's name: its machine and its process. */
export const workerName = (host: string, pid: number): string => `${host}:${pid}`;

/**
 * What a worker of this machine that was killed has left: its children still run, for nobody, since another worker has their
 * jobs; and their reports are owed to nobody.
 */
export function stopOrphans(ledger: Ledger, isAlive: (pid: number) => boolean): number {
	const rows = ledger.all<{ id: RunId; parent_session: string; state: string }>(
		"SELECT id, parent_session, state FROM runs WHERE parent_session LIKE 'pool:%' AND (state <> 'ended' OR delivery = 'owed')",
	);
	const left = rows.filter(({ parent_session }) => !isAlive(Number(parent_session.split(":")[2])));
	const at = Date.now();
	for (const { id, state } of left)
		if (state !== "ended") requestStop(ledger, id, { at, by: "the pool: its worker died" });
	settleDeliveries(
		ledger,
		left.filter(({ state }) => state === "ended").map(({ id }) => id),
		at,
	);
	return left.length;
}

/** Those of sessions that nobody has continued for a day. */
export function removeOldCheckouts(root: string, now = Date.now()): void {
	const folder = join(root, "checkouts");
	for (const name of checkoutsIn(folder).filter((each) => each.endsWith(".ready"))) {
		const ready = join(folder, name);
		if (now - statSync(ready).mtimeMs < CHECKOUTS_KEPT_MS) continue;
		rmSync(ready, { force: true });
		rmSync(ready.replace(/\.ready$/, ""), { recursive: true, force: true });
	}
}

function checkoutsIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw error;
	}
}
