import { systemClock } from "../../ports/clock.ts";
import type { ChildEvents } from "../child-events.ts";
import type { EndingRace } from "./race.ts";

/**
 * Ends a run whose child has been silent for too long. Any event counts as a sign of life, down to a single streamed
 * character. The clock stands still while a tool runs, which has a limit of its own, and while pi waits before a retry.
 */
export function watchIdleness(race: EndingRace, events: ChildEvents, idleTimeoutMs: number): () => void {
	let running = 0;
	let lastSign = performance.now();
	/** Until when pi waits before a retry; more events may follow the one that announces the wait. */
	let waitsUntil = 0;
	let cancel = () => {};

	const check = () => {
		const remaining = running > 0 ? idleTimeoutMs : lastSign + idleTimeoutMs - performance.now();
		if (remaining > 0) cancel = systemClock.after(remaining, check);
		else race.declare({ kind: "timeout", limit: "idle", afterMs: idleTimeoutMs });
	};
	const unsubscribe = events.subscribe((event) => {
		const now = performance.now();
		waitsUntil = Math.max(waitsUntil, now + waitAnnouncedBy(event));
		lastSign = Math.max(now, waitsUntil);
		// Counted, not identified by their ids: some models give several calls the same one.
		if (event.type === "tool_execution_start") running++;
		if (event.type === "tool_execution_end") running = Math.max(0, running - 1);
	});
	check();
	return () => {
		cancel();
		unsubscribe();
	};
}

/** How long pi says that it will wait. */
function waitAnnouncedBy(event: Parameters<Parameters<ChildEvents["subscribe"]>[0]>[0]): number {
	const waits = event.type === "auto_retry_start" || event.type === "summarization_retry_scheduled";
	return waits ? event.delayMs : 0;
}
