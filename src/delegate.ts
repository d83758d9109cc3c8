/**
 * The whole story of one delegated task. Each stage takes the value of the previous one:
 *
 *   request → plan → admit → claim → run → collect → outcome → deliver → archive
 *
 * plan, admit and deliver happen here, in the parent. claim, run and collect happen in a host, another process, which finds
 * the run in the ledger (`host/serve.ts`, `child/work.ts`). The parent's loop watches the run (`supervise/supervisor.ts`),
 * which continues even if the parent dies. In the foreground, a call awaits the outcome and returns it. In the background,
 * no caller waits, and the outcome is announced to the session later (`deliver/announcer.ts`). That is the only difference.
 */
import type { Redactor } from "./collect/redact/redactor.ts";
import {
	backgroundResult,
	progressResult,
	queuedResult,
	refusalResult,
	type SubagentResult,
	toolResult,
	troubleResult,
} from "./deliver/tool-result.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { RunRecord } from "./ledger/records.ts";
import type { Log } from "./log/log.ts";
import { launch } from "./operate/launch.ts";
import type { LaunchRequest, ParentFacts, PlanSources } from "./plan/launch.ts";
import type { LaunchPlan } from "./plan/plan.ts";
import type { Ports } from "./ports/ports.ts";
import { isRefusal, type Refusal } from "./run/errors.ts";
import type { AskUser } from "./supervise/ask.ts";
import type { Supervisor } from "./supervise/supervisor.ts";

export interface Delegation extends LaunchRequest {
	/** The session that asks. */
	parentSession: string;
	label?: string;
}

/** What can interrupt a waiting caller, and what it hears before the outcome. */
export interface WaitOptions {
	signal?: AbortSignal | undefined;
	/** Names the requester when the signal stops the run; the parent by default. */
	stopper?: () => string;
	/** The stop request is in the ledger. */
	onStopRequested?: () => void;
	/** Fires when the run continues without the caller. The ledger says so by then. */
	leave?: AbortSignal;
	/** The caller has left, so the outcome will be announced. */
	onLeft?: (record: RunRecord) => void;
	onUpdate?: (partial: SubagentResult) => void;
	onAdmitted?: (record: RunRecord) => void;
	onAsk?: AskUser;
}

export interface Services extends PlanSources {
	redactor: Redactor;
	ledger: Ledger;
	supervisor: Supervisor;
	/** Names the hosts that can work on a plan for this parent. */
	profile: (plan: LaunchPlan) => string;
	log: Log;
	ports: Ports;
}

/** The services that admitting a run needs. */
export type AdmissionServices = PlanSources & Pick<Services, "ledger" | "profile" | "log" | "ports">;

/** Delegates a task and waits for its one answer. */
export async function delegate(
	request: Delegation & WaitOptions,
	parent: ParentFacts,
	services: Services,
): Promise<SubagentResult> {
	const admitted = await launch({ request, parent, services, mode: "foreground", signal: request.signal });
	if (isRefusal(admitted)) return refusalResult(admitted);
	request.onAdmitted?.(admitted);

	const { leave = new AbortController().signal } = request;
	const ended = await services.supervisor.watch(admitted.run.id, {
		leave,
		signal: request.signal,
		onQueued: (waiting) => request.onUpdate?.(queuedResult(admitted, waiting)),
		onTrouble: (message) => request.onUpdate?.(troubleResult(admitted, message)),
		onProgress: (progress) => request.onUpdate?.(progressResult(admitted, progress)),
		...(request.stopper && { stopper: request.stopper }),
		...(request.onStopRequested && { onStopRequested: request.onStopRequested }),
		...(request.onAsk && { onAsk: request.onAsk }),
	});
	if (ended) return toolResult(ended, services.redactor);
	request.onLeft?.(admitted);
	return backgroundResult(admitted);
}

/** Delegates a task and returns at once: accepted means that it is in the ledger, and will be announced. */
export function spawn(
	request: Delegation,
	parent: ParentFacts,
	services: AdmissionServices,
): Promise<RunRecord | Refusal> {
	return launch({ request, parent, services, mode: "background" });
}
