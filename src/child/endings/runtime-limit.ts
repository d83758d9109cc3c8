import { systemClock } from "../../ports/clock.ts";
import type { EndingRace } from "./race.ts";

/** The hard cap: it counts from the first claim, and does not start again when the run changes hosts. */
export function watchRuntime(race: EndingRace, limit: { startedAt: number; timeoutMs: number }): () => void {
	const remaining = limit.startedAt + limit.timeoutMs - Date.now();
	return systemClock.after(remaining, () =>
		race.declare({ kind: "timeout", limit: "runtime", afterMs: limit.timeoutMs }),
	);
}
