import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { ownPart } from "../run/fork-line.ts";
import type { SessionId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import type { RunRecord } from "./records.ts";

/** When a run wrote into its session. If the session has no other run, every entry belongs to this one. */
export interface RunTime {
	isOnly: boolean;
	startedAt: number | undefined;
	/** Absent while it is open. */
	endedAt?: number;
}

export function runTimeOf({ run, sessionId }: RunRecord, ledger: Ledger): RunTime {
	return {
		isOnly: countInSession(ledger, sessionId) === 1,
		startedAt: run.startedAt,
		...(run.state === "ended" && { endedAt: run.endedAt }),
	};
}

/**
 * The entries that a run wrote into its session, which other runs may have used before and after it. One session never has
 * two writers, so the time of an entry tells whose it is. An entry without a time belongs with the one before it.
 */
export function entriesOfRun(
	entries: readonly SessionEntry[],
	{ isOnly, startedAt, endedAt = Number.POSITIVE_INFINITY }: RunTime,
): SessionEntry[] {
	if (startedAt === undefined) return [];
	const own = ownPart(entries);
	if (isOnly) return own;
	let at = Number.NEGATIVE_INFINITY;
	return own.filter(({ timestamp }) => {
		const written = Date.parse(timestamp);
		if (!Number.isNaN(written)) at = written;
		return at >= startedAt && at <= endedAt;
	});
}

const countInSession = (ledger: Ledger, id: SessionId): number =>
	ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE session_id = ?", id)?.n ?? 0;
