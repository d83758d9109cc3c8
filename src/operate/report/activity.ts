import { inOneLine } from "../../collect/plain.ts";
import type { LogLine } from "../../log/read-logs.ts";
import { plural } from "../../run/amounts.ts";
import type { ToolActivity } from "../activity.ts";
import type { RunSummary } from "../runs.ts";
import { cutTo } from "./layout.ts";
import { consumed, type Reading, stateAndTime, timeInWords, titleOf } from "./words.ts";

export interface RunActivity {
	run: RunSummary;
	/** Its latest text or action; undefined if unknown. */
	doing: string | undefined;
}

/** What each open run is doing right now, and what this package's other tools have done. */
export function activityReport(
	activities: readonly RunActivity[],
	tools: readonly ToolActivity[],
	reading: Reading,
): string[] {
	return [...runLines(activities, reading), ...(tools.length > 0 ? ["", ...toolLines(tools, reading)] : [])];
}

function toolLines(tools: readonly ToolActivity[], { width }: Reading): string[] {
	const longest = Math.max(...tools.map(({ tool }) => tool.length));
	const lines = tools.map(({ tool, calls, failed, last }) => {
		const counts = `${plural(calls, "call")}${failed > 0 ? `, ${failed} failed` : ""}`;
		const who = inOneLine(last.agent ?? "this session");
		return `  ${tool.padEnd(longest)}  ${counts} · last ${timeInWords(last.time)} by ${who}${aboutOf(last)}`;
	});
	return ["Tools in this conversation and its subagents:", ...lines].map((line) => cutTo(width, line));
}

/** The subject of the last call, in the order of interest. */
function aboutOf({ facts }: LogLine): string {
	const { action, file, symbol, hosts } = facts;
	const about = [action, file, symbol, ...(Array.isArray(hosts) ? hosts : [])].filter(
		(part) => typeof part === "string",
	);
	return about.length > 0 ? `: ${inOneLine(about.join(" "))}` : "";
}

function runLines(activities: readonly RunActivity[], { width, now }: Reading): string[] {
	if (activities.length === 0) return ["No run is open."];
	return activities.flatMap(({ run, doing }, index) => {
		const state = [stateAndTime(run, now), ...consumed(run.usage)].join(" · ");
		const lines = [
			`#${run.number} ${inOneLine(run.agent)} · ${state}`,
			`  ${titleOf(run)}`,
			...(doing ? [`  › ${inOneLine(doing)}`] : []),
		];
		return [...(index > 0 ? [""] : []), ...lines.map((line) => cutTo(width, line))];
	});
}
