import type { EndCause, Outcome } from "../run/outcome.ts";
import type { Ledger } from "./ledger.ts";
import { applyInTransaction } from "./progress.ts";
import { type RunRecord, selectRuns } from "./records.ts";

/**
 * Puts right what dead hosts left behind. Anybody may do it at any time; whoever sees an expired lease first does.
 * A run without a host is ended if a stop was asked for or its attempts are used up, and else waits for another host.
 */
export function sweep(
	ledger: Ledger,
	options: { at: number; outcomeOf: (record: RunRecord, cause: EndCause) => Outcome },
): { requeued: RunRecord[]; ended: RunRecord[] } {
	const { at } = options;
	if (!needsSweep(ledger, at)) return { requeued: [], ended: [] };
	return ledger.transaction("full", () => {
		ledger.run("UPDATE hosts SET state = 'gone' WHERE state <> 'gone' AND lease_until <= ?", at);
		const requeued = selectRuns(ledger, "state = 'running' AND lease_until <= ?", at).flatMap(
			(record) => applyInTransaction(ledger, record.run.id, { type: "lease_expired", at }) ?? [],
		);
		const ended = selectRuns(ledger, OVER).flatMap((record) => {
			const { id, fence } = record.run;
			const outcome = options.outcomeOf(record, causeOf(record));
			return applyInTransaction(ledger, id, { type: "ended", at, fence, outcome }) ?? [];
		});
		const endedIds = new Set(ended.map((record) => record.run.id));
		return { requeued: requeued.filter((record) => !endedIds.has(record.run.id)), ended };
	});
}

const OVER = "state = 'queued' AND (stop_at IS NOT NULL OR attempt >= max_attempts)";

function needsSweep(ledger: Ledger, at: number): boolean {
	return (
		ledger.get(
			`SELECT 1 WHERE EXISTS (SELECT 1 FROM runs WHERE state = 'running' AND lease_until <= ?)
				OR EXISTS (SELECT 1 FROM runs WHERE ${OVER})`,
			at,
		) !== undefined
	);
}

function causeOf({ run }: RunRecord): EndCause {
	if (run.stop) return { kind: "stopped", by: run.stop.by };
	const times = run.attempt === 1 ? "once" : `${run.attempt} times`;
	return { kind: "lost", message: `The host process died ${times} while working on it, and no attempts are left.` };
}
