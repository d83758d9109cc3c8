import { systemClock } from "../../ports/clock.ts";
import { ASK_TOOL } from "../../run/question.ts";
import type { ChildEvents } from "../child-events.ts";
import type { EndingRace } from "./race.ts";

/** Ends a run whose tool call does not return. A question has no such limit, because it waits for a person. */
export function watchTools(race: EndingRace, events: ChildEvents, toolTimeoutMs: number): () => void {
	/** Some models give several calls the same id. */
	const running = new Map<string, (() => void)[]>();
	const unsubscribe = events.subscribe((event) => {
		if ("toolName" in event && event.toolName === ASK_TOOL) return;
		if (event.type === "tool_execution_start") {
			const expire = () => race.declare({ kind: "timeout", limit: "tool", afterMs: toolTimeoutMs });
			running.set(event.toolCallId, [
				...(running.get(event.toolCallId) ?? []),
				systemClock.after(toolTimeoutMs, expire),
			]);
		}
		if (event.type === "tool_execution_end") {
			const [cancel, ...others] = running.get(event.toolCallId) ?? [];
			cancel?.();
			if (others.length > 0) running.set(event.toolCallId, others);
			else running.delete(event.toolCallId);
		}
	});
	return () => {
		unsubscribe();
		for (const cancel of [...running.values()].flat()) cancel();
	};
}
