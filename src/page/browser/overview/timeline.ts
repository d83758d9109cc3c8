import type { PageRun, RunSpan } from "../../api/runs.ts";

/** A conversation and the runs that it started, as the waterfall draws them. */
export interface Family {
	session: string;
	cwd: string;
	from: number;
	/** Absent while one of them is open. */
	to?: number;
	runs: readonly PageRun[];
}

export interface Timespan {
	from: number;
	to: number;
}

const MINUTE = 60_000;
export const RANGES = [
	{ name: "5 min", ms: 5 * MINUTE },
	{ name: "15 min", ms: 15 * MINUTE },
	{ name: "1 h", ms: 60 * MINUTE },
	{ name: "6 h", ms: 360 * MINUTE },
	{ name: "24 h", ms: 1440 * MINUTE },
	{ name: "7 d", ms: 10_080 * MINUTE },
] as const;

/** More rows than a user reads in a chart. */
const MOST_ROWS = 60;
/** A chart with fewer runs looks further back. */
const FEW = 8;

const endOf = ({ endedAt }: PageRun, now: number): number => endedAt ?? now;

/** The default range: the latest runs, without those of the day before. */
export function fittingRange(rows: readonly PageRun[], now: number): Timespan {
	const latest = rows.slice(0, MOST_ROWS);
	const to = latest.reduce((end, row) => Math.max(end, endOf(row, now)), 0) || now;
	const inside = (ms: number) => latest.filter((row) => endOf(row, now) >= to - ms);
	const range = RANGES.find(({ ms }) => inside(ms).length >= Math.min(FEW, latest.length)) ?? RANGES.at(-1);
	const shown = inside(range?.ms ?? 0);
	const from = shown.reduce((start, { createdAt }) => Math.min(start, createdAt), to);
	return withMargin({ from: Math.max(from, to - 10 * (range?.ms ?? 0)), to });
}

export const lastOf = (ms: number, now: number): Timespan => ({ from: now - ms, to: now });

/** At least a second, and a little space on the right. */
function withMargin({ from, to }: Timespan): Timespan {
	const length = Math.max(1000, to - from);
	return { from: to - length, to: to + length * 0.02 };
}

/** The runs that touch a timespan, by the conversation that asked, the latest conversation first. */
export function familiesIn(
	rows: readonly PageRun[],
	span: Timespan,
	now: number,
): { families: Family[]; hidden: number } {
	const inside = rows.filter((row) => row.createdAt <= span.to && endOf(row, now) >= span.from);
	const shown = inside.slice(0, MOST_ROWS);
	const families = [...Map.groupBy(shown, ({ parentSession }) => parentSession)].map(([session, runs]) =>
		familyOf(session, runs.toReversed()),
	);
	return { families, hidden: inside.length - shown.length };
}

function familyOf(session: string, runs: readonly PageRun[]): Family {
	const isOpen = runs.some(({ endedAt }) => endedAt === undefined);
	return {
		session,
		cwd: runs[0]?.cwd ?? "",
		from: Math.min(...runs.map(({ createdAt }) => createdAt)),
		...(!isOpen && { to: Math.max(...runs.map(({ endedAt = 0 }) => endedAt)) }),
		runs,
	};
}

/** Round times for the axis, as many as there is room for. */
export function ticksOf({ from, to }: Timespan, most: number): { at: number; step: number }[] {
	const steps = [
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800,
	];
	const step = (steps.find((seconds) => (to - from) / (seconds * 1000) <= most) ?? 604_800) * 1000;
	// Days begin at midnight where the reader is.
	const zone = new Date(to).getTimezoneOffset() * MINUTE;
	const first = Math.ceil((from - zone) / step) * step + zone;
	const ticks = [];
	for (let at = first; at <= to; at += step) ticks.push({ at, step });
	return ticks;
}

/** Whether an attempt was the one that the run ended with. */
export const isLastAttempt = (run: PageRun, span: RunSpan): boolean =>
	run.spans.findLast(({ kind }) => kind === "attempt") === span;
