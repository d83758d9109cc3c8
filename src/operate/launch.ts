import type { AdmissionServices, Delegation } from "../delegate.ts";
import { admitSoon, SessionArchived } from "../ledger/admit.ts";
import type { RunMode, RunRecord } from "../ledger/records.ts";
import { type ParentFacts, planLaunch } from "../plan/launch.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { withSilenceAllowed } from "../plan/prompt.ts";
import { isRefusal, type Refusal, refuse } from "../run/errors.ts";
import { refusedByHook } from "./start-hook.ts";

interface Launch {
	request: Delegation;
	parent: ParentFacts;
	services: AdmissionServices;
	mode: RunMode;
	signal?: AbortSignal | undefined;
}

/** Plans a run and admits it, however it was requested: in a new session, or a continued one. */
export async function launch({ request, parent, services, mode, signal }: Launch): Promise<RunRecord | Refusal> {
	const {
		log,
		ports: { clock },
	} = services;
	const asked = { session: request.parentSession, mode };
	const plan = await permittedPlan({ request, parent, services, mode, signal });
	if (isRefusal(plan)) {
		log.warn("refused", {
			...asked,
			agent: request.agent,
			code: plan.error.code,
			reason: plan.error.reason,
			why: plan.error.message,
		});
		return plan;
	}
	try {
		const record = await admitSoon(
			services.ledger,
			{
				plan: mode === "background" ? { ...plan, prompt: withSilenceAllowed(plan.prompt) } : plan,
				mode,
				parentSession: request.parentSession,
				...(request.toolCall !== undefined && { toolCall: request.toolCall }),
				...(request.label !== undefined && { label: request.label }),
				profile: services.profile(plan),
				laneLimit: services.config.agents.defaults.subagents.maxConcurrent,
				at: clock.now(),
			},
			clock,
		);
		log.info("admitted", { ...asked, runId: record.run.id, agent: plan.agent, label: request.label });
		return record;
	} catch (error) {
		if (plan.session.fork !== undefined && request.sessionId === undefined) {
			parent.conversation?.discard(plan.session.fork);
		}
		// The session was archived since the plan was made.
		if (error instanceof SessionArchived) return refuse("INVALID_INPUT", error.message, "archived_session");
		throw error;
	}
}

/** Plans the run, then asks the start hook, which need not judge a run that the plan refuses. */
async function permittedPlan({ request, parent, services, mode, signal }: Launch): Promise<LaunchPlan | Refusal> {
	const plan = await planLaunch({ ...request, background: mode === "background" }, parent, services);
	if (isRefusal(plan)) return plan;
	const how = request.sessionId === undefined ? "new" : "resume";
	const { task, parentSession, label } = request;
	const refusal =
		(await refusedByHook({ plan, how, task, mode, parentSession, label, signal }, services)) ??
		(how === "new" ? await refusedCopy({ request, parent, plan }) : undefined);
	return refusal ?? plan;
}

/** Comes last, so that no copy of the conversation is written for a run that is refused anyway. */
function refusedCopy({ request, parent, plan }: { request: Delegation; parent: ParentFacts; plan: LaunchPlan }) {
	const { session, cwd } = plan;
	if (session.fork === undefined) return undefined;
	return parent.conversation?.copy({ session: { ...session, fork: session.fork }, cwd, toolCall: request.toolCall });
}
