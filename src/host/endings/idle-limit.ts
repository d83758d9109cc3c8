import type { ChildEvents } from "../child-events.ts";
import type { EndingRace } from "./race.ts";
import { timer } from "./timer.ts";

/**
 * Nothing heard for too long. Any event of the child counts as a sign of life, down to a single streamed character.
 * The clock stands still while a tool runs: that has a limit of its own.
 */
export function watchIdleness(race: EndingRace, events: ChildEvents, idleTimeoutMs: number): () => void {
	let running = 0;
	let lastSign = performance.now();
	let cancel = () => {};

	const check = () => {
		const remaining = running > 0 ? idleTimeoutMs : lastSign + idleTimeoutMs - performance.now();
		if (remaining > 0) cancel = timer(remaining, check);
		else race.declare({ kind: "timeout", limit: "idle", afterMs: idleTimeoutMs });
	};
	const unsubscribe = events.subscribe((event) => {
		lastSign = performance.now();
		// Counted, not known by their ids: some models give several calls the same one.
		if (event.type === "tool_execution_start") running++;
		if (event.type === "tool_execution_end") running = Math.max(0, running - 1);
	});
	check();
	return () => {
		cancel();
		unsubscribe();
	};
}
