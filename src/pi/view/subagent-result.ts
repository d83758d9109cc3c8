import type { AgentToolResult, Theme, ToolRenderResultOptions } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { duration } from "../../run/amounts.ts";
import { queuedInWords } from "../../run/queued-in-words.ts";
import { activityLines } from "./activity-lines.ts";
import { answerLines } from "./answer.ts";
import type { Drawing } from "./drawing.ts";
import { endedRun } from "./ended-run.ts";
import { expandHint } from "./expand-hint.ts";
import { consumption, factLines } from "./fact-lines.ts";
import { fitted } from "./fitted.ts";
import { problemLines } from "./problem-lines.ts";
import { contentText, readView, type SubagentView } from "./subagent-view.ts";

/** The state or the end of a delegation. It has no clock of its own: pi draws it again with every partial update. */
export function renderResult(
	result: AgentToolResult<unknown>,
	{ expanded, isPartial }: ToolRenderResultOptions,
	theme: Theme,
	context: { isError: boolean },
): Component {
	const view = readView(result.details, isPartial);
	const hint = expandHint(theme, context);
	return fitted((width) => draw({ theme, width, expanded, hint }), { live: view.kind === "running" });

	function draw(drawing: Drawing): string[] {
		switch (view.kind) {
			case "starting":
				return [theme.fg("muted", "○ starting")];
			case "queued":
				return [queuedLine(view.before, drawing)];
			case "running":
				return runningLines(view, drawing);
			case "ended":
				return endedRun(view, drawing);
			case "refused":
				return problemLines({ ...view.error, mark: "✗" }, "error", drawing);
			case "unknown":
				return unknownLines(contentText(result.content), { isPartial, isError: context.isError }, drawing);
		}
	}
}

function queuedLine(before: number, { theme }: Drawing): string {
	return theme.fg("muted", `○ ${queuedInWords(before)}`);
}

function runningLines(view: Extract<SubagentView, { kind: "running" }>, drawing: Drawing): string[] {
	const { startedAt, facts, activity } = view;
	const state = startedAt === undefined ? "● running" : `● running ${duration(Date.now() - startedAt)}`;
	return [
		...factLines([drawing.theme.fg("warning", state), ...consumption(facts, drawing)], drawing),
		...activityLines(activity, drawing),
	];
}

/** For unknown details, only the model's text is available. */
export function unknownLines(text: string, how: { isPartial: boolean; isError: boolean }, drawing: Drawing): string[] {
	if (text.trim() === "") return how.isPartial ? [drawing.theme.fg("warning", "● running")] : [];
	if (how.isError) return problemLines({ title: "", message: text }, "error", drawing);
	return answerLines(text, drawing);
}
