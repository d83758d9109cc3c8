import { outcomeWithoutHost } from "../collect/outcome.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { sessionAtWork } from "../ledger/sessions.ts";
import { sweep, type Undertaker } from "../ledger/sweep.ts";
import type { Log } from "../log/log.ts";
import type { RunId } from "../run/ids.ts";
import { endLeftovers } from "./leftovers.ts";
import { undertaker } from "./undertaker.ts";

/** Puts right what dead hosts left behind, in whichever process looks. Answers which runs were ended for it. */
export function recover(ledger: Ledger, log: Log, buries: Undertaker = undertaker()): RunId[] {
	const { ended } = sweep(ledger, { at: Date.now(), outcomeOf: outcomeWithoutHost, undertaker: buries });
	for (const { run, sessionId, plan } of ended) {
		log.warn("ended without a host", { runId: run.id, agent: plan.agent });
		// Not those of a run that never started: the shells in its session are another's.
		const left = run.startedAt !== undefined && !sessionAtWork(ledger, sessionId);
		if (!left) continue;
		endLeftovers({ id: sessionId, tools: plan.tools }, (trouble) => log.warn(trouble, { runId: run.id }));
	}
	return ended.map(({ run }) => run.id);
}
