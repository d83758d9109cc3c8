import { duration, plural } from "../../run/amounts.ts";
import type { Attempt, AttemptCause } from "../../run/attempt.ts";
import { consumed, timeInWords } from "./words.ts";

/** 2026-11-15 10:41:02, 12s: its host died or went silent · host 3f88d0cf · anthropic/claude · 2 turns · 8.1k tokens */
export function attemptInWords({ hostId, model, startedAt, end, usage }: Attempt, now: number): string {
	const how = end ? CAUSES[end.cause] : "running";
	return [
		`${timeInWords(startedAt)}, ${duration((end?.at ?? now) - startedAt)}: ${how}`,
		`host ${hostId}`,
		...(model === undefined ? [] : [model]),
		...(usage ? [plural(usage.turns, "turn"), ...consumed(usage)] : []),
	].join(" · ");
}

const CAUSES: Readonly<Record<AttemptCause, string>> = {
	finalized: "finished",
	reported_error: "reported an error",
	not_finalized: "stopped without a result",
	uncheckable: "its result could not be checked",
	timeout: "timed out",
	stopped: "stopped",
	budget: "over budget",
	output_limit: "wrote too much",
	provider: "the model provider failed",
	refused: "could not be started",
	crashed: "failed",
	not_harvested: "failed",
	lost: "lost",
	unreadable: "its record could not be read",
	host_lost: "its host died or went silent",
	released: "its host left",
	tried_again: "the model provider failed, tried again",
	hopped: "the model could not be used, another one continued",
	unknown: "ended",
};
