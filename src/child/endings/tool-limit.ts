import { ASK_TOOL } from "../../run/question.ts";
import type { ChildEvents } from "../child-events.ts";
import type { EndingRace } from "./race.ts";
import { timer } from "./timer.ts";

/** A tool call that does not return. A question to the user takes as long as a person does, so it has no such limit. */
export function watchTools(race: EndingRace, events: ChildEvents, toolTimeoutMs: number): () => void {
	/** Several calls may share an id, where a model does not give each its own. */
	const running = new Map<string, (() => void)[]>();
	const unsubscribe = events.subscribe((event) => {
		if ("toolName" in event && event.toolName === ASK_TOOL) return;
		if (event.type === "tool_execution_start") {
			const expire = () => race.declare({ kind: "timeout", limit: "tool", afterMs: toolTimeoutMs });
			running.set(event.toolCallId, [...(running.get(event.toolCallId) ?? []), timer(toolTimeoutMs, expire)]);
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
