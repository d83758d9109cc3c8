import type { ClaimedRun } from "../child/work.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { endRuns } from "../ledger/progress.ts";
import type { Log } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";
import type { RunId } from "../run/ids.ts";
import type { Outcome } from "../run/outcome.ts";

/** The most endings that one transaction writes. */
const ENDINGS_AT_ONCE = 50;

/** Runs that finished in this host and whose outcome is not in the ledger yet. */
export class PendingOutcomes {
	readonly #ledger: Ledger;
	readonly #log: Log;
	readonly #ports: Ports;
	readonly #endings = new Map<RunId, { record: ClaimedRun; outcome: Outcome }>();

	constructor({ ledger, log, ports }: { ledger: Ledger; log: Log; ports: Ports }) {
		this.#ledger = ledger;
		this.#log = log;
		this.#ports = ports;
	}

	get size(): number {
		return this.#endings.size;
	}

	/** The first ending counts, except that of an earlier claim: the run was taken away since, and is ours again. */
	add(record: ClaimedRun, outcome: Outcome): void {
		const { id, fence } = record.run;
		const known = this.#endings.get(id);
		if (!known || known.record.run.fence < fence) this.#endings.set(id, { record, outcome });
	}

	/**
	 * Records how runs ended. Outcomes that cannot be written now, for example on a full disk, are kept for the next time.
	 */
	write(onWritten: (runId: RunId, how: { counted: boolean }) => void): void {
		while (this.#endings.size > 0) {
			const at = this.#ports.clock.now();
			const some = [...this.#endings].slice(0, ENDINGS_AT_ONCE);
			const counted = endRuns(
				this.#ledger,
				some.map(([id, { record, outcome }]) => ({ id, fence: record.run.fence, outcome, at })),
			);
			for (const [id, { record, outcome }] of some) {
				this.#endings.delete(id);
				this.#log.info(counted.has(id) ? "ended" : "ended, but it was no longer ours", {
					runId: id,
					agent: record.plan.agent,
					status: outcome.status,
					...(outcome.status !== "success" && { reason: outcome.error.reason ?? outcome.error.code }),
					ms: at - record.run.startedAt,
					attempts: outcome.attempts,
				});
				onWritten(id, { counted: counted.has(id) });
			}
		}
	}
}
