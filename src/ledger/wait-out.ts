import type { Clock } from "../ports/clock.ts";
import { LedgerTrouble } from "./trouble.ts";

const WAIT_STEP_MS = 250;

/** The system's codes for trouble that may pass: a forbidden folder, a full disk, too many open files. */
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

/** Damage does not pass. It lasts until the ledger is replaced. */
function passes(error: unknown): boolean {
	if (error instanceof LedgerTrouble) return error.kind !== "damaged";
	return error instanceof Error && "code" in error && PASSING.has(error.code);
}
