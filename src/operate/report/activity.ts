import { inOneLine } from "../../collect/plain.ts";
import type { RunSummary } from "../runs.ts";
import { cutTo } from "./layout.ts";
import { consumed, elapsed, type Reading, stateInWords, titleOf } from "./words.ts";

export interface RunActivity {
	run: RunSummary;
	/** What it said or did last; nothing if that is not known. */
	doing: string | undefined;
}

/** What each open run is doing right now. */
export function activityReport(activities: readonly RunActivity[], { width, now }: Reading): string[] {
	if (activities.length === 0) return ["No run is open."];
	return activities.flatMap(({ run, doing }, index) => {
		const state = [`${stateInWords(run)} ${elapsed(run, now)}`, ...consumed(run.usage)].join(" · ");
		const lines = [
			`#${run.number} ${inOneLine(run.agent)} · ${state}`,
			`  ${titleOf(run)}`,
			...(doing ? [`  › ${inOneLine(doing)}`] : []),
		];
		return [...(index > 0 ? [""] : []), ...lines.map((line) => cutTo(width, line))];
	});
}
