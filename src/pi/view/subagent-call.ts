import type { Theme, ToolRenderContext } from "@earendil-works/pi-coding-agent";
import { type Component, visibleWidth } from "@earendil-works/pi-tui";
import { fit, fitted, wrap } from "./fitted.ts";
import { inOneLine, plain } from "./plain.ts";
import { fieldsOf, textOf } from "./stored.ts";

/** What was asked of whom. The arguments may still be arriving, or be anything that a model made up. */
export function renderCall(stored: unknown, theme: Theme, context: Pick<ToolRenderContext, "expanded">): Component {
	const args = fieldsOf(stored) ?? {};
	const task = textOf(args.task) ?? "";
	const title = titleOf(textOf(args.agent), textOf(args.sessionId), theme);
	return fitted((width) => (context.expanded ? wholeCall(title, task, width) : shortCall(title, task, theme, width)));
}

function titleOf(agent: string | undefined, sessionId: string | undefined, theme: Theme): string {
	const name = agent === undefined ? "…" : inOneLine(agent);
	const continued = sessionId === undefined ? "" : theme.fg("dim", ` continues ${inOneLine(sessionId).slice(0, 8)}`);
	return `${theme.fg("toolTitle", theme.bold("subagent"))} ${theme.fg("accent", name)}${continued}`;
}

function wholeCall(title: string, task: string, width: number): string[] {
	return task === "" ? [title] : [...wrap(title, width), ...wrap(plain(task).trim(), width)];
}

/** In one line where that is enough for the first line of the task, otherwise in two. */
function shortCall(title: string, task: string, theme: Theme, width: number): string[] {
	const [first = "", ...others] = plain(task.slice(0, 1_000)).trim().split("\n");
	if (first === "") return [title];
	const line = theme.fg("muted", others.length > 0 ? `${first.trimEnd()} …` : first);
	const inOne = `${title}  ${line}`;
	return visibleWidth(inOne) <= width ? [inOne] : [title, fit(line, width)];
}
