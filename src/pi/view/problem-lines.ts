import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import type { Drawing } from "./drawing.ts";
import { withHint } from "./expand-hint.ts";
import type { ShownProblem } from "./subagent-view.ts";

const SHORT_LINES = 4;
const LONGEST_PROBLEM = 10_000;

/** What went wrong; a warning where the run succeeded all the same. */
export function problemLines({ title, message }: ShownProblem, color: "error" | "warning", drawing: Drawing): string[] {
	const { theme, width, expanded } = drawing;
	const text = plain(message.slice(0, LONGEST_PROBLEM)).trim();
	const lines = wrapTextWithAnsi(theme.fg(color, title === "" ? text : `${title}: ${text}`), width);
	if (expanded || lines.length <= SHORT_LINES) return lines;
	return [...lines.slice(0, SHORT_LINES), withHint("… and more", drawing)];
}
