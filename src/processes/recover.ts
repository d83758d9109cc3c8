import { outcomeWithoutHost } from "../collect/outcome.ts";
import { expireImpossibleStarts } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isSessionRunning } from "../ledger/sessions.ts";
import { type Reaper, type Sweep, sweep } from "../ledger/sweep.ts";
import type { Log } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";
import type { RunId } from "../run/ids.ts";
import { START_WITHIN_MS } from "./lease.ts";
import { createReaper } from "./reaper.ts";

interface Recovery {
	ledger: Ledger;
	log: Log;
	ports: Ports;
	/** A reaper that already knows the silent hosts gives up on them sooner. */
	reaper?: Reaper;
}

/** Recovers the runs of dead hosts, in any process that looks. Returns the runs that it ended. */
export function recover({ ledger, log, ports, reaper = createReaper(ports) }: Recovery): RunId[] {
	const outcomeOf: Sweep["outcomeOf"] = (record, cause) => outcomeWithoutHost(record, cause, ledger.redact);
	const at = ports.clock.now();
	expireImpossibleStarts(ledger, at, START_WITHIN_MS);
	const { ended } = sweep(ledger, { at, outcomeOf, reaper });
	for (const { run, sessionId, plan } of ended) {
		log.warn("ended without a host", { runId: run.id, agent: plan.agent });
		// Skip a run that never started: the shells in its session belong to another run.
		const left = run.startedAt !== undefined && !isSessionRunning(ledger, sessionId);
		if (!left) continue;
		ports.processes.endLeftovers({ id: sessionId, tools: plan.tools }, (trouble) =>
			log.warn(trouble, { runId: run.id }),
		);
	}
	return ended.map(({ run }) => run.id);
}
