import { inOneLine } from "../../collect/plain.ts";
import type { Standing } from "../../deliver/run-view.ts";
import { count, dollars, duration, plural } from "../../run/amounts.ts";
import { ENDED } from "../../run/ending-words.ts";
import { queuedInWords } from "../../run/queued-in-words.ts";
import { inputTokens, type Usage } from "../../run/usage.ts";
import type { InQueue } from "../queue-position.ts";
import type { RunSummary } from "../runs.ts";

/** The reader of a report: the width of their screen, and the current time. */
export interface Reading {
	width: number;
	/** Milliseconds since 1970. */
	now: number;
}

/** The state of a run in words: its phase, or how it ended. */
export function stateInWords({ phase, cause, asks, away, queuePosition }: Standing & InQueue): string {
	if (cause !== undefined) return ENDED[cause];
	if (away && phase === "running") {
		if (away.trouble !== undefined) return `no answer of pool ${away.pool}`;
		if (away.worker === undefined) return `waiting for a worker of pool ${away.pool}`;
	}
	if (asks !== undefined && phase !== "stopping") return "asking";
	return phase === "queued" ? queuedInWords(queuePosition) : phase;
}

/** The state with its time: "running 12s", "queued · 3 ahead · 12s". */
export function stateAndTime(run: Standing & InQueue & Timed, now: number): string {
	const separator = run.queuePosition === undefined ? " " : " · ";
	return `${stateInWords(run)}${separator}${elapsed(run, now)}`;
}

type Timed = Pick<RunSummary, "createdAt" | "startedAt" | "endedAt" | "away">;

/** How long the run took, or has been running or waiting. */
export function elapsed(run: Timed, now: number): string {
	const { away, endedAt } = run;
	// How long a run has been waiting for a worker, or has been silent.
	if (away && endedAt === undefined && (away.worker === undefined || away.trouble !== undefined)) {
		return duration(now - away.since);
	}
	const since = run.startedAt ?? (run.endedAt === undefined ? run.createdAt : run.endedAt);
	return duration((run.endedAt ?? now) - since);
}

/** The user's name for a run: its label, or else its task. */
export const titleOf = ({ label, task }: Pick<RunSummary, "label" | "task">): string => inOneLine(label ?? task);

/** The first parts of its usage, in the order of interest. Zero amounts are left out. */
export function consumed(usage: Usage): string[] {
	const { output, cost } = usage;
	const tokens = inputTokens(usage) + output;
	return [...(tokens > 0 ? [`${count(tokens)} tokens`] : []), ...(cost > 0 ? [dollars(cost)] : [])];
}

export function consumedInDetail(usage: Usage): string {
	const { turns, output, cacheRead, cacheWrite, cost } = usage;
	const input = inputTokens(usage);
	const parts = [
		plural(turns, "turn"),
		`${count(input + output)} tokens (${count(input)} in / ${count(output)} out)`,
		...(cacheRead > 0 ? [`${count(cacheRead)} read from cache`] : []),
		...(cacheWrite > 0 ? [`${count(cacheWrite)} written to cache`] : []),
		...(cost > 0 ? [dollars(cost)] : []),
	];
	return parts.join(" · ");
}

/** 2026-11-15 10:41:02, in the reader's time zone. */
export function timeInWords(at: number | string): string {
	const date = new Date(at);
	if (Number.isNaN(date.getTime())) return "(unknown time)";
	const two = (amount: number) => String(amount).padStart(2, "0");
	const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
	return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
