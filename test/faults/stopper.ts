import type { Ledger } from "../../src/ledger/ledger.ts";
import { requestStop } from "../../src/ledger/progress.ts";
import type { RunId } from "../../src/run/ids.ts";
import { taskIn } from "./child-model.ts";

/** Asks for runs to be stopped whose task says so, from outside, as a user does from another terminal. */
export class Stopper {
	readonly #looking: NodeJS.Timeout;

	constructor(ledger: Ledger) {
		// Waiting here for a process that was suspended while it held the lock would keep us from waking it up.
		ledger.run("PRAGMA busy_timeout = 0");
		this.#looking = setInterval(() => unlessLocked(() => askForStops(ledger)), 50);
	}

	close(): void {
		clearInterval(this.#looking);
	}
}

function askForStops(ledger: Ledger): void {
	const open = ledger.all<{ id: RunId; task: string; created_at: number }>(
		"SELECT id, json_extract(plan, '$.task') AS task, created_at FROM runs WHERE state <> 'ended' AND stop_at IS NULL",
	);
	for (const { id, task, created_at } of open) {
		const stopAfterMs = taskIn(task)?.stopAfterMs;
		if (stopAfterMs === undefined || Date.now() < created_at + stopAfterMs) continue;
		requestStop(ledger, id, { at: Date.now(), by: "the harness" });
	}
}

/** Then it is asked for the next time. */
function unlessLocked(work: () => void): void {
	try {
		work();
	} catch (error) {
		if (!(error instanceof Error && error.message.includes("locked"))) throw error;
	}
}
