import { isRecord } from "../run/is-record.ts";
import { type Fields, type Upgrades, upgraded, withVersion } from "../run/stored.ts";
import { causeBefore1 } from "../run/stored-outcome.ts";
import type { AnnounceDetails } from "./announce.ts";
import type { SubagentDetails } from "./details.ts";
import type { StoppedDetails } from "./stopped.ts";

/**
 * The `details` that transcripts keep. Readers get them in our version, or not at all if a newer version wrote them: they can
 * use the text beside them. Two fields keep their names in all versions, `runId` and `announceId`, so that no outcome is
 * announced twice.
 *
 * Version 1 has the cause.
 */
const OF_RESULTS: Upgrades = [
	({ results, ...details }) => ({
		...details,
		results: Array.isArray(results) ? results.map((result) => resultWithCause(result, details.error)) : results,
	}),
];
const OF_ANNOUNCES: Upgrades = [(details) => ({ ...details, cause: causeBefore1(details.status, details) })];
const OF_STOPS: Upgrades = [];

export const resultDetails = (details: Omit<SubagentDetails, "version">): SubagentDetails =>
	withVersion(details, OF_RESULTS);

export const announceDetails = (details: Omit<AnnounceDetails, "version">): AnnounceDetails =>
	withVersion(details, OF_ANNOUNCES);

export const stoppedDetails = (details: Omit<StoppedDetails, "version">): StoppedDetails =>
	withVersion(details, OF_STOPS);

export const readResultDetails = (stored: unknown): Fields | undefined => unlessNewer(upgraded(stored, OF_RESULTS));

export const readAnnounceDetails = (stored: unknown): Fields | undefined => unlessNewer(upgraded(stored, OF_ANNOUNCES));

export const readStoppedDetails = (stored: unknown): Fields | undefined => unlessNewer(upgraded(stored, OF_STOPS));

const unlessNewer = (details: Fields | "newer" | undefined) => (details === "newer" ? undefined : details);

const resultWithCause = (result: unknown, error: unknown): unknown =>
	isRecord(result) ? { ...result, cause: causeBefore1(STATUS_OF_EXIT.get(result.exitCode) ?? "error", error) } : result;

const STATUS_OF_EXIT: ReadonlyMap<unknown, string> = new Map([
	[0, "success"],
	[124, "timeout"],
]);
