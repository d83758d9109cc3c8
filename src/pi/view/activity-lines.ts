import type { Drawing } from "./drawing.ts";
import type { Activity } from "./subagent-view.ts";

/** The child's last action, or the last few. */
export function activityLines({ lines, earlier }: Activity, { theme, expanded }: Drawing): string[] {
	const shown = expanded ? lines : lines.slice(-1);
	return [
		...(expanded && earlier > 0 ? [theme.fg("dim", `  … ${earlier} earlier`)] : []),
		...shown.map((line) => theme.fg("dim", "› ") + theme.fg("toolOutput", line)),
	];
}
