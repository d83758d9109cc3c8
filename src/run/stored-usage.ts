import { isUsage } from "./outcome-check.ts";
import type { Usage } from "./usage.ts";

/** Usage that was stored as JSON; undefined if it is not a usage. */
export function readUsage(stored: unknown): Usage | undefined {
	if (typeof stored !== "string") return undefined;
	try {
		const usage: unknown = JSON.parse(stored);
		return isUsage(usage) ? usage : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
