import type { EndingRace } from "./race.ts";
import { timer } from "./timer.ts";

/** The hard cap: it counts from the first claim, across a change of hosts, and never starts again. */
export function watchRuntime(race: EndingRace, limit: { startedAt: number; timeoutMs: number }): () => void {
	const remaining = limit.startedAt + limit.timeoutMs - Date.now();
	return timer(remaining, () => race.declare({ kind: "timeout", limit: "runtime", afterMs: limit.timeoutMs }));
}
