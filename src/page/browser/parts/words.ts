import { dollars, duration } from "../../../run/amounts.ts";
import { ENDED } from "../../../run/ending-words.ts";
import type { PageRun } from "../../api/runs.ts";

/** The facts that determine its state. */
export type StateFacts = Pick<PageRun, "phase" | "status" | "cause" | "asks">;

/** One word for one state, as in the terminal. */
export function stateWord({ phase, cause, asks }: StateFacts): string {
	if (cause !== undefined) return ENDED[cause];
	return asks !== undefined && phase !== "stopping" ? "asking" : phase;
}

/** Determines colours and marks. */
export type Tone = "queued" | "running" | "asking" | "success" | "failure" | "stopped";

export function toneOf({ phase, status, cause, asks }: StateFacts): Tone {
	if (phase === "ended") return status === "success" ? "success" : cause === "stopped" ? "stopped" : "failure";
	if (asks !== undefined) return "asking";
	return phase === "queued" ? "queued" : "running";
}

export const MARKS: Readonly<Record<Tone, string>> = {
	queued: "○",
	running: "●",
	asking: "?",
	success: "✓",
	failure: "✗",
	stopped: "✗",
};

/** How long it took, or takes so far. */
export function tookOf(run: Pick<PageRun, "createdAt" | "startedAt" | "endedAt">, at: number): string {
	if (run.startedAt === undefined && run.endedAt !== undefined) return "–";
	return spanWords((run.endedAt ?? at) - (run.startedAt ?? run.createdAt), run.endedAt === undefined);
}

/** 420ms, 1.3s, and from ten seconds on the usual form. Growing durations count whole seconds. */
export function spanWords(ms: number, isOpen = false): string {
	const time = Math.max(0, ms);
	if (isOpen || time >= 10_000) return duration(time);
	return time < 1000 ? `${Math.round(time)}ms` : `${(Math.floor(time / 100) / 10).toFixed(1)}s`;
}

export const titleOfRun = ({ label, task }: Pick<PageRun, "label" | "task">): string =>
	(label ?? task).replace(/\s+/g, " ").trim();

/** The end of a path, which tells folders apart. */
export const folderName = (path: string): string => path.split("/").filter(Boolean).at(-1) ?? path;

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
const clockWithSeconds = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hour12: false });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hour12: false });

/** The time for today, the day for older ones. */
export function whenOf(time: number, at: number): string {
	return new Date(time).toDateString() === new Date(at).toDateString() ? clock.format(time) : day.format(time);
}

export const timeOfDay = (time: number): string => clockWithSeconds.format(time);
export const wholeTime = (time: number): string => whole.format(time);

export const asMoney = (value: number): string => (value === 0 ? "$0" : dollars(value));
