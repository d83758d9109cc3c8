import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Home } from "../helpers/home.ts";
import { type LoggedFault, noteFault, readFaults } from "./fault-log.ts";
import type { MachineTrouble } from "./plan.ts";

/** What the disk does in each kind of trouble, and where. A lock is none of its. */
export function diskTroubles(home: Home): Record<string, { code: string; below: string[] }> {
	const state = join(home.agentDir, "pi-geon");
	const sessions = [join(home.home, "parents"), join(home.home, ".pi", "subagent-sessions")];
	return {
		"disk full": { code: "ENOSPC", below: [home.home] },
		"hosts forbidden": { code: "EACCES", below: [join(state, "hosts")] },
		"sessions forbidden": { code: "EACCES", below: sessions },
		"state forbidden": { code: "EACCES", below: [state] },
	};
}

/** Puts the machine into trouble from outside. */
export function beginTrouble(home: Home, folder: string, { kind, forMs }: MachineTrouble): void {
	const at = Date.now();
	noteFault(folder, { role: "all", pid: 0, place: "everything", when: "at once", kind, forMs, at });
	const trouble = diskTroubles(home)[kind];
	if (!trouble) return; // A lock: the locker reads of it.
	appendFileSync(join(folder, "trouble.jsonl"), `${JSON.stringify({ ...trouble, until: at + forMs })}\n`);
}

/** Locks the ledger for as long as a fault says. */
export class Locker {
	readonly #looking: NodeJS.Timeout;
	readonly #locks = new Set<Promise<void>>();
	readonly #over = new AbortController();
	#seen = 0;

	constructor(folder: string, ledger: string) {
		this.#looking = setInterval(() => {
			const faults = readFaults(folder);
			for (const fault of faults.slice(this.#seen)) {
				if (fault.kind === "ledger locked") this.#locks.add(this.#lock(ledger, fault));
			}
			this.#seen = faults.length;
		}, 25);
	}

	async close(): Promise<void> {
		clearInterval(this.#looking);
		this.#over.abort();
		await Promise.all(this.#locks);
	}

	async #lock(ledger: string, { forMs, at }: LoggedFault): Promise<void> {
		const until = at + (forMs ?? 0);
		const database = new DatabaseSync(ledger);
		try {
			// Without waiting: a process that is suspended with the lock has to be woken from here.
			database.exec("PRAGMA busy_timeout = 0");
			while (!this.#isLocked(database) && Date.now() < until) await sleep(10);
			await sleep(Math.max(0, until - Date.now()), undefined, { signal: this.#over.signal }).catch(() => {});
		} finally {
			database.close(); // And the lock with it.
		}
	}

	#isLocked(database: DatabaseSync): boolean {
		try {
			database.exec("BEGIN IMMEDIATE");
			return true;
		} catch (error) {
			if (error instanceof Error && error.message.includes("locked")) return false;
			throw error;
		}
	}
}
