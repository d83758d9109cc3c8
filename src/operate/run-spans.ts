import type { RunView } from "../deliver/run-view.ts";
import type { Attempt, AttemptCause } from "../run/attempt.ts";

/**
 * A piece of a run's life. wait: for a place in the lane, for the run before it in its session, or for a host. attempt: a
 * host had it. unknown: an older pi-geon recorded no attempts, so it may be either.
 */
export interface RunSpan {
	kind: "wait" | "attempt" | "unknown";
	from: number;
	/** Absent while it lasts. */
	to?: number;
	/** The following fields are set only for attempts: its number, the model, and why it ended. */
	attempt?: number;
	model?: string;
	/** `hopped`: the next attempt has another model. */
	cause?: AttemptCause;
}

type Lived = Pick<RunView, "createdAt" | "startedAt" | "endedAt" | "attempt">;

/** A run's life from its creation to its end, or to now, without gaps. */
export function spansOf(run: Lived, attempts: readonly Attempt[]): RunSpan[] {
	const spans: RunSpan[] = [];
	let at = run.createdAt;
	let last = 0;
	const fill = (kind: RunSpan["kind"], to: number) => {
		if (to > at) spans.push({ kind, from: at, to });
		at = Math.max(at, to);
	};
	for (const { number, startedAt, end, model } of attempts) {
		if (number > last + 1) unrecorded(startedAt);
		else fill("wait", startedAt);
		last = number;
		const to = end?.at ?? run.endedAt;
		spans.push({
			kind: "attempt",
			from: Math.max(at, startedAt),
			// If the clock was set back, an end must not come before its beginning.
			...(to !== undefined && { to: Math.max(at, startedAt, to) }),
			attempt: number,
			...(model !== undefined && { model }),
			...(end && { cause: end.cause }),
		});
		if (to === undefined) return spans;
		at = Math.max(at, startedAt, to);
	}
	const rest = run.attempt > last ? "unknown" : "wait";
	if (rest === "unknown" && run.startedAt !== undefined) fill("wait", run.startedAt);
	if (run.endedAt === undefined) spans.push({ kind: rest, from: at });
	else fill(rest, run.endedAt);
	return spans;

	/** The time before the first claim was a wait, even if the rest is not on record. */
	function unrecorded(until: number): void {
		if (last === 0 && run.startedAt !== undefined) fill("wait", Math.min(run.startedAt, until));
		fill("unknown", until);
	}
}

/** Whether all attempts of a run are on record. */
export const areAttemptsKnown = ({ attempt }: Pick<Lived, "attempt">, attempts: readonly Attempt[]): boolean =>
	attempts.length === attempt;
