import { duration, plural } from "../../run/amounts.ts";
import type { Attempt } from "../../run/attempt.ts";
import { ATTEMPT_ENDED } from "../../run/ending-words.ts";
import { consumed, timeInWords } from "./words.ts";

/** 2026-11-15 10:41:02, 12s: its host died or went silent · host 3f88d0cf · anthropic/claude · 2 turns · 8.1k tokens */
export function attemptInWords({ hostId, model, startedAt, end, usage }: Attempt, now: number): string {
	const how = end ? ATTEMPT_ENDED[end.cause] : "running";
	return [
		`${timeInWords(startedAt)}, ${duration((end?.at ?? now) - startedAt)}: ${how}`,
		`host ${hostId}`,
		...(model === undefined ? [] : [model]),
		...(usage ? [plural(usage.turns, "turn"), ...consumed(usage)] : []),
	].join(" · ");
}
