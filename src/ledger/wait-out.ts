import type { Clock } from "../ports/clock.ts";
import { LedgerTrouble } from "./trouble.ts";

const WAIT_STEP_MS = 250;

/** Does what needs the ledger, again and again while trouble with it may pass, for so long at most. */
export async function waitOutTrouble<Result>(
	work: () => Result | Promise<Result>,
	{ clock, withinMs }: { clock: Clock; withinMs: number },
): Promise<Result> {
	const deadline = clock.elapsed() + withinMs;
	for (;;) {
		try {
			return await work();
		} catch (error) {
			// A damaged ledger is replaced by another one. Everything else may pass: a lock, a full disk, a forbidden folder.
			const mayPass = error instanceof LedgerTrouble && error.kind !== "damaged";
			if (!mayPass || clock.elapsed() >= deadline) throw error;
		}
		await clock.sleep(WAIT_STEP_MS);
	}
}
