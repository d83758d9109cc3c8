import { isRecord } from "./is-record.ts";
import type { Cause, FailureCause, Outcome } from "./outcome.ts";
import { isOutcome } from "./outcome-check.ts";
import { type Fields, type Upgrades, upgraded, withVersion } from "./stored.ts";

/** Version 1 has the cause, and all of its texts are redacted. */
const OUTCOME_UPGRADES: Upgrades = [(outcome) => ({ ...outcome, cause: causeBefore1(outcome.status, outcome.error) })];

export const storedOutcome = (outcome: Outcome): string => JSON.stringify(withVersion(outcome, OUTCOME_UPGRADES));

/** Undefined if it is not an outcome. */
export function readOutcome(stored: unknown): Outcome<string> | "newer" | undefined {
	const outcome: unknown = upgraded(stored, OUTCOME_UPGRADES);
	return outcome === "newer" || isOutcome(outcome) ? outcome : undefined;
}

/** Before versions, outcomes written without a host were not redacted: their error and their warnings. */
export const isStoredRedacted = (stored: unknown): boolean => isRecord(stored) && stored.version !== undefined;

/** The cause of an ending that was stored without one. No other code derives meaning from a reason. */
export function causeBefore1(status: unknown, error: unknown): Cause {
	if (status === "success") return "finalized";
	// By the status, because the reason of a timeout, `runtime`, is also that of a crash.
	if (status === "timeout") return "timeout";
	const { reason }: Fields = isRecord(error) ? error : {};
	return CAUSES_BEFORE_1.get(reason) ?? (status === "error" ? "crashed" : "lost");
}

const CAUSES_BEFORE_1: ReadonlyMap<unknown, FailureCause> = new Map([
	["reported_error", "reported_error"],
	["not_finalized", "not_finalized"],
	["output_schema", "uncheckable"],
	["stopped", "stopped"],
	["budget", "budget"],
	["output_limit", "output_limit"],
	["provider", "provider"],
	["setup", "refused"],
	["spawn", "refused"],
	["runtime", "crashed"],
	["lost", "lost"],
	["unreadable", "unreadable"],
]);
