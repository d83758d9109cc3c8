import type { RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import type { Ledger } from "./ledger.ts";

/** Whether a run of a pool waits for a worker, or which worker has it. */
export interface Away {
	pool: string;
	/** Absent: the run waits for a worker. */
	worker?: string;
	/** When the wait or the work began, in milliseconds since 1970. */
	since: number;
	/** Why this machine gets no news about it. */
	trouble?: string;
}

/** Undefined if it cannot be read. It is only shown, and nothing else depends on it. */
export function readAway(stored: string | null): Away | undefined {
	try {
		const away: unknown = typeof stored === "string" ? JSON.parse(stored) : undefined;
		return isAway(away) ? away : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

const isAway = (away: unknown): away is Away =>
	isRecord(away) &&
	typeof away.pool === "string" &&
	typeof away.since === "number" &&
	(away.worker === undefined || typeof away.worker === "string") &&
	(away.trouble === undefined || typeof away.trouble === "string");

export function recordAway(ledger: Ledger, id: RunId, fence: number, away: Away): boolean {
	const sql = "UPDATE runs SET away = ? WHERE id = ? AND fence = ? AND state = 'running'";
	return ledger.transaction("normal", () => ledger.run(sql, JSON.stringify(away), id, fence)) === 1;
}
