import type { Theme } from "@earendil-works/pi-coding-agent";
import { type Component, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine, plain } from "../../collect/plain.ts";
import { fitted } from "./fitted.ts";
import { fieldsOf, textOf } from "./stored.ts";

/** What was asked of whom. The arguments may still be arriving, or be anything that a model made up. */
export function renderCall(stored: unknown, theme: Theme, { expanded }: { expanded: boolean }): Component {
	const args = fieldsOf(stored) ?? {};
	const task = textOf(args.task) ?? "";
	const title = titleOf(textOf(args.agent), textOf(args.sessionId), theme);
	return fitted((width) =>
		expanded ? wholeCall(title, task, width) : shortCall(title, firstLine(task), theme, width),
	);
}

function titleOf(agent: string | undefined, sessionId: string | undefined, theme: Theme): string {
	const name = agent === undefined ? "…" : inOneLine(agent);
	const continued = sessionId === undefined ? "" : theme.fg("dim", ` continues ${inOneLine(sessionId).slice(0, 8)}`);
	return `${theme.fg("toolTitle", theme.bold("subagent"))} ${theme.fg("accent", name)}${continued}`;
}

function wholeCall(title: string, task: string, width: number): string[] {
	const text = plain(task).trim();
	return [title, ...(text === "" ? [] : wrapTextWithAnsi(text, width))];
}

/** In one line where that is wide enough, otherwise in two. */
function shortCall(title: string, task: string, theme: Theme, width: number): string[] {
	if (task === "") return [title];
	const inOne = `${title} ${theme.fg("muted", task)}`;
	return visibleWidth(inOne) <= width ? [inOne] : [title, theme.fg("muted", task)];
}

const LONGEST_LINE = 1_000;

function firstLine(task: string): string {
	const [first = "", ...others] = plain(task.slice(0, LONGEST_LINE)).trim().split("\n");
	return others.length > 0 ? `${first.trimEnd()} …` : first;
}
