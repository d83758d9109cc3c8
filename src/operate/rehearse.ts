import { outcomeWithoutHost } from "../collect/outcome.ts";
import { delegate, type Services } from "../delegate.ts";
import { openLedgerInMemory } from "../ledger/ledger.ts";
import { endRun } from "../ledger/progress.ts";
import { NO_LOG } from "../log/log.ts";
import type { ParentFacts } from "../plan/launch.ts";
import { Supervisor } from "../supervise/supervisor.ts";

/**
 * Delegates a made-up task, in a ledger in memory and without a host, so that the code for the first real delegation is
 * already loaded and compiled. Nothing is stored or logged, and no hook runs.
 */
export async function rehearse(parent: ParentFacts, services: Services): Promise<void> {
	const { catalog, config, ports, redactor } = services;
	const ledger = await openLedgerInMemory();
	ledger.redact = redactor.redact;
	const supervisor = new Supervisor({ ledger, ports });
	const hooks = { ...config.subagents.hooks, start: null, stop: null };
	try {
		await delegate(
			{
				agent: catalog.agents[0]?.name ?? "",
				task: "None.",
				parentSession: "rehearsal",
				onUpdate: () => {},
				onAdmitted: (record) => {
					const { id, fence } = record.run;
					const finalized = { status: "SUCCESS", result: "Nothing." } as const;
					const outcome = outcomeWithoutHost(record, { kind: "finalized", finalized }, redactor.redact);
					endRun(ledger, { id, fence, outcome, at: ports.clock.now() });
				},
			},
			// Looking for the extensions of a model would start another process.
			{ ...parent, modelSource: async () => ({ kind: "pi" }) },
			{
				...services,
				config: { ...config, subagents: { ...config.subagents, hooks } },
				catalog,
				redactor,
				ledger,
				supervisor,
				findSession: () => undefined,
				log: NO_LOG,
			},
		);
	} finally {
		supervisor.dispose();
		ledger.close();
	}
}
