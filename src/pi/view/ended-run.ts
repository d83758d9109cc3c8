import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { duration, plural } from "../../run/amounts.ts";
import { ENDED } from "../../run/ending-words.ts";
import { sandboxInWords } from "../../run/sandbox-report.ts";
import { activityLines } from "./activity-lines.ts";
import { answerLines } from "./answer.ts";
import { changedLines, outcomeFacts } from "./changed-lines.ts";
import type { Drawing } from "./drawing.ts";
import { withHint } from "./expand-hint.ts";
import { consumption, factLines } from "./fact-lines.ts";
import { problemLines } from "./problem-lines.ts";
import type { SubagentView } from "./subagent-view.ts";
import { warningLines } from "./warning-lines.ts";

type EndedView = Extract<SubagentView, { kind: "ended" }>;

export function endedRun(view: EndedView, drawing: Drawing): string[] {
	const { theme, expanded } = drawing;
	const lines = view.cause === "finalized" ? succeeded(view, drawing) : failedLines(view, drawing);
	return expanded
		? [...lines, ...whereabouts(view).flatMap((line) => wrapTextWithAnsi(theme.fg("dim", line), drawing.width))]
		: lines;
}

function succeeded(view: EndedView, drawing: Drawing): string[] {
	const { theme, expanded } = drawing;
	const state = theme.fg("success", `✓ ${ENDED[view.cause]}${took(view)}`);
	return [
		...factLines([state, ...howItEnded(view, drawing), ...consumption(view.facts, drawing)], drawing),
		// A success may have an error too, such as an answer that was cut.
		...(view.error ? problemLines(view.error, "warning", drawing) : []),
		...warningLines(view.warnings, drawing),
		...changedLines(view, drawing),
		...(expanded ? [...activityLines(view.activity, drawing), ""] : []),
		...(view.output.trim() === "" ? [theme.fg("muted", "(no output)")] : answerLines(view.output, drawing)),
	];
}

function failedLines(view: EndedView, drawing: Drawing): string[] {
	const limit = view.timeoutReason === undefined ? "" : ` (${view.timeoutReason} limit)`;
	const state = drawing.theme.fg("error", `✗ ${ENDED[view.cause]}${limit}${took(view)}`);
	return [
		...factLines([state, ...howItEnded(view, drawing)], drawing),
		...(view.error ? problemLines(view.error, "error", drawing) : []),
		...warningLines(view.warnings, drawing),
		...changedLines(view, drawing),
		...factLines(consumption(view.facts, drawing), drawing),
		...activityLines(view.activity, drawing),
		...(view.output.trim() === "" ? [] : partialOutput(view.output, drawing)),
	];
}

function partialOutput(output: string, drawing: Drawing): string[] {
	const { theme, expanded } = drawing;
	if (expanded) return ["", theme.fg("warning", "Partial output"), ...answerLines(output, drawing)];
	return [withHint("… partial output", drawing)];
}

const took = ({ durationMs }: EndedView): string => (durationMs === undefined ? "" : ` ${duration(durationMs)}`);

function howItEnded({ exitCode, attempts, sandbox, changes }: EndedView, { expanded }: Drawing): string[] {
	return [
		...(expanded ? [`exit ${exitCode}`] : []),
		...(attempts > 1 ? [plural(attempts, "attempt")] : []),
		...outcomeFacts({ changes, sandbox }),
	];
}

/** Where to look further. Not shortened, so that it can be copied. */
function whereabouts({ runId, sessionId, sessionFile, sandbox }: EndedView): string[] {
	const held = sandbox && inOneLine(sandboxInWords(sandbox));
	const places = [
		held,
		runId && `run ${runId}`,
		sessionId && `session ${sessionId}`,
		sessionFile && `file ${sessionFile}`,
	];
	const known = places.filter((place) => place !== undefined);
	return known.length > 0 ? ["", ...known] : [];
}
