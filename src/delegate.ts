/**
 * The whole story of one delegated task, in order. Each stage takes the value of the stage before, and lives in the
 * folder of its name:
 *
 *   request → plan → admit → claim → run → collect → outcome → deliver
 *
 * plan, admit and deliver happen here, in the parent. claim, run and collect happen in a host, another process, which
 * finds the run in the ledger (`host/serve.ts`, `host/work.ts`). The parent only watches, and may die meanwhile.
 */
import type { Redactor } from "./collect/redact/redactor.ts";
import { progressResult, queuedResult, refusalResult, type SubagentResult, toolResult } from "./deliver/tool-result.ts";
import { admitRun } from "./ledger/admit.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { type LaunchRequest, type ParentFacts, type PlanSources, planLaunch } from "./plan/launch.ts";
import { isRefusal } from "./run/errors.ts";
import type { Supervisor } from "./supervise/supervisor.ts";

export interface Delegation extends LaunchRequest {
	/** The session that asks, and the call it asks with. */
	parentSession: string;
	toolCall?: string;
	signal?: AbortSignal | undefined;
	onUpdate?: (partial: SubagentResult) => void;
}

export interface Services extends PlanSources {
	redactor: Redactor;
	ledger: Ledger;
	supervisor: Supervisor;
	/** Which hosts can work for this parent. */
	profile: string;
}

/** Delegates a task and waits for its one answer. */
export async function delegate(request: Delegation, parent: ParentFacts, services: Services): Promise<SubagentResult> {
	const plan = await planLaunch(request, parent, services);
	if (isRefusal(plan)) return refusalResult(plan);

	const admitted = admitRun(services.ledger, {
		plan,
		mode: "foreground",
		parentSession: request.parentSession,
		...(request.toolCall !== undefined && { toolCall: request.toolCall }),
		profile: services.profile,
		laneLimit: services.config.agents.defaults.subagents.maxConcurrent,
		at: Date.now(),
	});

	const ended = await services.supervisor.watch(admitted.run.id, {
		signal: request.signal,
		onQueued: (waiting) => request.onUpdate?.(queuedResult(admitted, waiting)),
		onProgress: (progress) => request.onUpdate?.(progressResult(admitted, progress)),
	});
	return toolResult(ended, services.redactor);
}
