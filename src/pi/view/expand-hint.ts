import { keyText, type Theme } from "@earendil-works/pi-coding-agent";
import type { Drawing } from "./drawing.ts";
import { fieldsOf } from "./stored.ts";

const EXPAND = "app.tools.expand";

/** "ctrl+o to expand", with the key that the user has for it, or nothing if there is none. */
export function expandHint(theme: Theme, context: unknown): string {
	const key = keyOf(context);
	return key === "" ? "" : theme.fg("dim", key) + theme.fg("muted", " to expand");
}

/** A note on what is not shown, and how to see it. */
export function withHint(note: string, { theme, hint }: Drawing): string {
	return hint === "" ? theme.fg("muted", note) : `${theme.fg("muted", `${note}, `)}${hint}`;
}

function keyOf(context: unknown): string {
	// pi 1.5 tells through the context; what is imported may be another copy that does not know the user's keys.
	const fromContext = fieldsOf(context)?.keyText;
	return typeof fromContext === "function" ? String(fromContext(EXPAND)) : keyText(EXPAND);
}
