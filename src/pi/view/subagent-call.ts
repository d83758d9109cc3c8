import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { callView, type ShownCallOptions } from "./call-lines.ts";
import { fieldsOf, textOf } from "./stored.ts";

/** The agent and its task. */
export function renderCall(stored: unknown, theme: Theme, shown: ShownCallOptions): Component {
	const args = fieldsOf(stored) ?? {};
	const sessionId = textOf(args.sessionId);
	return callView(
		{
			tool: "subagent",
			name: textOf(args.agent) ?? "…",
			note: sessionId === undefined ? undefined : `continues ${sessionId.slice(0, 8)}`,
			text: textOf(args.task),
		},
		theme,
		shown,
	);
}
