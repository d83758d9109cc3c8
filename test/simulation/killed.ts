/** Thrown by every effect of a process that was killed: nothing it still does reaches the world. */
export class Killed extends Error {
	override name = "Killed";
}

/** For work that nobody waits for: what a killed process still had under way fails. Everything else is a bug. */
export function ignoreKilled(error: unknown): void {
	if (!(error instanceof Killed)) throw error;
}
