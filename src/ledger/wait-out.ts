import type { Clock } from "../ports/clock.ts";
import { LedgerTrouble } from "./trouble.ts";

const WAIT_STEP_MS = 250;

/** The system's codes for a forbidden folder or a full disk. */
const PASSING: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EMFILE", "ENFILE"]);

/** Does work that needs the ledger or its folder. Retries while trouble with them may pass, up to a time limit. */
export async function waitOutTrouble<Result>(
	work: () => Result | Promise<Result>,
	{ clock, withinMs }: { clock: Clock; withinMs: number },
): Promise<Result> {
	const deadline = clock.elapsed() + withinMs;
	for (;;) {
		try {
			return await work();
		} catch (error) {
			if (!passes(error) || clock.elapsed() >= deadline) throw error;
		}
		await clock.sleep(WAIT_STEP_MS);
	}
}

/** A damaged ledger is replaced by another one. A lock, a full disk and a forbidden folder may pass. */
function passes(error: unknown): boolean {
	if (error instanceof LedgerTrouble) return error.kind !== "damaged";
	return error instanceof Error && "code" in error && PASSING.has(error.code);
}
