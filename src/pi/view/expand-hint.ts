import { keyText, type Theme } from "@earendil-works/pi-coding-agent";
import type { Drawing } from "./drawing.ts";
import { fieldsOf } from "./stored.ts";

const EXPAND = "app.tools.expand";
const USUAL_KEY = "ctrl+o";

/** "ctrl+o to expand", with the user's key for it, or empty if there is none. */
export function expandHint(theme: Theme, context: unknown): string {
	const key = expandKey(context);
	return key === "" ? "" : theme.fg("dim", key) + theme.fg("muted", " to expand");
}

/** A note on what is hidden, and how to see it. */
export function withHint(note: string, { theme, hint }: Pick<Drawing, "theme" | "hint">): string {
	return hint === "" ? theme.fg("muted", note) : `${theme.fg("muted", `${note}, `)}${hint}`;
}

/**
 * pi 1.5 provides the keys through the context. The imported module may be another copy of pi, which does not know the
 * user's keys.
 */
function expandKey(context: unknown): string {
	const fromContext = fieldsOf(context)?.keyText;
	return typeof fromContext === "function" ? String(fromContext(EXPAND)) : keyText(EXPAND) || USUAL_KEY;
}
