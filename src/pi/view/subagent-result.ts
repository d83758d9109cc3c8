import type {
	AgentToolResult,
	Theme,
	ToolRenderContext,
	ToolRenderResultOptions,
} from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { duration, plural } from "./amounts.ts";
import { answer, answerPreview } from "./answer.ts";
import { expandHint } from "./expand-hint.ts";
import { factLines, factsOf } from "./fact-line.ts";
import { fit, fitted, wrap } from "./fitted.ts";
import { plain } from "./plain.ts";
import { type Activity, contentText, type Problem, readView, type SubagentView } from "./subagent-view.ts";

interface Drawing {
	readonly theme: Theme;
	readonly expanded: boolean;
	readonly hint: string;
}

type Ended = Extract<SubagentView, { kind: "ended" }>;
type Running = Extract<SubagentView, { kind: "running" }>;

/** How a delegation stands or ended. It draws from the details; pi draws it anew with every partial update. */
export function renderResult(
	result: AgentToolResult<unknown>,
	{ expanded, isPartial }: ToolRenderResultOptions,
	theme: Theme,
	context: Pick<ToolRenderContext, "isError">,
): Component {
	const drawing = { theme, expanded, hint: expandHint(theme, context) };
	const view = readView(result.details, isPartial);
	switch (view.kind) {
		case "queued":
			return fitted(() => [queuedLine(view.before, theme)]);
		case "running":
			return fitted((width) => running(view, drawing, width), { live: true });
		case "ended":
			return fitted((width) => ended(view, drawing, width));
		case "refused":
			return fitted((width) => problem("✗ refused", view.error, drawing, width));
		case "unknown":
			return fitted((width) => unknown(contentText(result.content), { isPartial, ...context }, drawing, width));
	}
}

function queuedLine(before: number, theme: Theme): string {
	return theme.fg("muted", before === 0 ? "○ waiting, next in line" : `○ waiting, ${before} before it`);
}

function running({ startedAt, facts, activity }: Running, drawing: Drawing, width: number): string[] {
	const { theme, expanded } = drawing;
	const state = startedAt === undefined ? "● running" : `● running ${duration(Date.now() - startedAt)}`;
	return [
		...factLines(theme.fg("warning", state), factsOf(facts, expanded), theme, width),
		...(expanded ? wholeActivity(activity, theme, width) : lastActivity(activity, theme, width)),
	];
}

function ended(view: Ended, drawing: Drawing, width: number): string[] {
	return view.ending === "done" ? done(view, drawing, width) : failed(view, drawing, width);
}

function done(view: Ended, drawing: Drawing, width: number): string[] {
	const { theme, expanded, hint } = drawing;
	const head = [
		...endedFacts(theme.fg("success", `✓ done${tookText(view)}`), view, drawing, width),
		// A success may have something against it, such as an answer that was cut.
		...(view.error ? wrap(theme.fg("warning", problemText(view.error)), width) : []),
	];
	if (view.output.trim() === "")
		return [...head, theme.fg("muted", "(no output)"), ...whereabouts(view, drawing, width)];
	if (!expanded) return [...head, ...answerPreview(view.output, hint, theme, width)];
	return [
		...head,
		...wholeActivity(view.activity, theme, width),
		"",
		...answer(view.output, theme, width),
		...whereabouts(view, drawing, width),
	];
}

function failed(view: Ended, drawing: Drawing, width: number): string[] {
	const { theme, expanded, hint } = drawing;
	const limit = view.timeoutReason === undefined ? "" : ` (${view.timeoutReason} limit)`;
	const state = theme.fg("error", `✗ ${view.ending}${limit}${tookText(view)}`);
	const head = [
		...endedFacts(state, view, drawing, width),
		...(view.error ? problemLines(view.error, drawing, width) : []),
	];
	const partial = view.output.trim();
	if (!expanded) {
		return [
			...head,
			...lastActivity(view.activity, theme, width),
			...(partial === ""
				? []
				: [[theme.fg("muted", "partial output"), hint].filter(Boolean).join(theme.fg("muted", ", "))]),
		];
	}
	return [
		...head,
		...wholeActivity(view.activity, theme, width),
		...(partial === "" ? [] : ["", theme.fg("warning", "Partial output"), ...answer(view.output, theme, width)]),
		...whereabouts(view, drawing, width),
	];
}

const tookText = ({ durationMs }: Ended): string => (durationMs === undefined ? "" : ` ${duration(durationMs)}`);

function endedFacts(state: string, view: Ended, { theme, expanded }: Drawing, width: number): string[] {
	const { exitCode, attempts, facts } = view;
	const more = [
		...(exitCode !== 0 || expanded ? [`exit ${exitCode}`] : []),
		...(attempts > 1 ? [plural(attempts, "attempt")] : []),
	];
	return factLines(state, [...more, ...factsOf(facts, expanded)], theme, width);
}

function problem(state: string, error: Problem, drawing: Drawing, width: number): string[] {
	return [drawing.theme.fg("error", state), ...problemLines(error, drawing, width)];
}

const SHORT_PROBLEM = 4;
const LONGEST_PROBLEM = 10_000;

function problemLines(error: Problem, { theme, expanded, hint }: Drawing, width: number): string[] {
	const lines = wrap(theme.fg("error", problemText(error)), width);
	if (expanded || lines.length <= SHORT_PROBLEM) return lines;
	return [...lines.slice(0, SHORT_PROBLEM), theme.fg("muted", "… ") + hint];
}

function problemText({ title, message }: Problem): string {
	const text = plain(message.slice(0, LONGEST_PROBLEM)).trim();
	return title === "" ? text : `${title}: ${text}`;
}

function lastActivity({ lines }: Activity, theme: Theme, width: number): string[] {
	const last = lines.at(-1);
	return last === undefined ? [] : [activityLine(last, theme, width)];
}

function wholeActivity({ lines, earlier }: Activity, theme: Theme, width: number): string[] {
	return [
		...(earlier > 0 ? [theme.fg("dim", `  … ${earlier} earlier`)] : []),
		...lines.map((line) => activityLine(line, theme, width)),
	];
}

const activityLine = (line: string, theme: Theme, width: number): string =>
	fit(theme.fg("dim", "› ") + theme.fg("toolOutput", line), width);

/** Where to look further. Not shortened, so that it can be copied. */
function whereabouts({ runId, sessionId, sessionFile }: Ended, { theme, expanded }: Drawing, width: number): string[] {
	if (!expanded) return [];
	const places = [runId && `run ${runId}`, sessionId && `session ${sessionId}`, sessionFile && `file ${sessionFile}`];
	const lines = places.flatMap((place) => (place ? wrap(theme.fg("dim", place), width) : []));
	return lines.length > 0 ? ["", ...lines] : [];
}

function unknown(
	text: string,
	{ isPartial, isError }: { isPartial: boolean; isError: boolean },
	drawing: Drawing,
	width: number,
): string[] {
	const { theme, expanded, hint } = drawing;
	if (text.trim() === "") return isPartial ? [theme.fg("warning", "● running")] : [];
	if (isError) return problemLines({ title: "", message: text }, drawing, width);
	return expanded ? answer(text, theme, width) : answerPreview(text, hint, theme, width);
}
