import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import type { Drawing } from "./drawing.ts";
import { withHint } from "./expand-hint.ts";
import type { ShownProblem } from "./subagent-view.ts";
import { withoutJson } from "./without-json.ts";

const SHORT_LINES = 4;
const LONGEST_PROBLEM = 10_000;

/** The error; a warning if the run succeeded anyway. Codes, and JSON from a provider, are shown when expanded. */
export function problemLines(problem: ShownProblem, color: "error" | "warning", drawing: Drawing): string[] {
	const { title, code = "", mark = "", message } = problem;
	const { theme, width, expanded } = drawing;
	const whole = message.slice(0, LONGEST_PROBLEM);
	const text = plain(expanded ? whole : withoutJson(whole)).trim();
	const head = [title, ...(expanded ? [code] : [])].filter((part) => part !== "").join(" ");
	const sentence = head === "" ? text : `${head}: ${text}`;
	const lines = wrapTextWithAnsi(theme.fg(color, mark === "" ? sentence : `${mark} ${sentence}`), width);
	if (expanded || lines.length <= SHORT_LINES) return lines;
	return [...lines.slice(0, SHORT_LINES), withHint("… and more", drawing)];
}
