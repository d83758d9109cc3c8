import type { Services } from "../delegate.ts";
import { admitRun, laneLimitOf, SessionArchived } from "../ledger/admit.ts";
import { sendToRun } from "../ledger/inbox.ts";
import type { RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import { agentNow, limitsNow, switchedOffNow } from "../plan/continued.ts";
import { inBackground } from "../plan/in-background.ts";
import { leftOutWarnings } from "../plan/left-out.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { choosePrincipal, type Requester } from "../plan/principal.ts";
import { withTools } from "../plan/prompt.ts";
import { sortTools, type ToolQuestion, type WriteConsent } from "../plan/tools.ts";
import { isRefusal } from "../run/errors.ts";
import { runToTell } from "./child.ts";
import { type Denial, denialOf } from "./denial.ts";
import type { Posted } from "./posted.ts";

export interface Continuation {
	message: string;
	/** Whose hosts are to work on it; as before if absent. */
	profile?: string;
}

/** steered: the run at work takes it in. resumed: a new run goes on with it. */
export interface Continued extends Posted {
	how: "steered" | "resumed";
}

/** As they are now, in the directory of the plan. */
interface Sources extends Pick<Services, "ledger" | "config" | "catalog" | "agentDir"> {
	/** Whether a decision to trust its project is on file. */
	isTrusted(): boolean;
	/** Whether the user lets an agent write. */
	consent(agent: ToolQuestion["agent"]): WriteConsent;
}

/**
 * Says something to a child without its parent: steers the run that is open in its session, or admits another under the
 * same plan, in the background. The plan stays what its parent agreed to, less what the configuration has forbidden
 * since. The trust it rests on must not have been taken back.
 */
export function continueSession(of: RunRecord, request: Continuation, sources: Sources): Continued | Denial {
	const { ledger } = sources;
	const record = runToTell(ledger, of);
	// Of a run at work as well: a message that it does not take in any more is the task of another.
	const denial = distrustOf(record.plan, sources) ?? disabledNow(record.plan, sources);
	if (denial) return denial;
	const at = Date.now();
	const seq =
		record.run.state === "ended" ? undefined : sendToRun(ledger, record.run.id, { body: request.message, at });
	if (seq !== undefined) return { how: "steered", record, seq };
	const plan = planNow(record, sources);
	if ("error" in plan) return plan;
	const resumed = findSession(ledger, record.sessionId)?.everStarted ?? false;
	try {
		const next = admitRun(ledger, {
			plan: {
				...plan,
				task: request.message,
				session: { ...plan.session, resumed },
			},
			mode: "background",
			parentSession: record.parentSession,
			...(record.label !== undefined && { label: record.label }),
			profile: request.profile ?? record.profile.digest,
			laneLimit: laneLimitOf(ledger, record.run.id),
			at,
		});
		return { how: "resumed", record: next };
	} catch (error) {
		if (error instanceof SessionArchived) return { status: "error", error: error.message };
		throw error;
	}
}

function distrustOf(
	{ agent, cwd, definition, projectTrusted }: LaunchPlan,
	{ isTrusted }: Sources,
): Denial | undefined {
	const needsTrust = projectTrusted || definition.source === "project";
	if (!needsTrust || isTrusted()) return undefined;
	return forbidden(
		`${agent} was started with what the project in ${cwd} brings, and no decision to trust that project is on file. ` +
			"Review it and trust it with /trust in pi, or go on in the pi session that asked for this subagent.",
	);
}

/** What the configuration has switched off or forbidden since. */
export function disabledNow(plan: LaunchPlan, from: Requester & Pick<Sources, "catalog">): Denial | undefined {
	const { agent, principal } = plan;
	const { subagents } = from.config;
	if (!subagents.enabled) return forbidden("subagents.enabled is false in pi-geon.json.");
	if (subagents.disabled.includes(agent)) return forbidden(`${agent} is in subagents.disabled of pi-geon.json.`);
	const switchedOff = switchedOffNow(plan, from.catalog);
	if (switchedOff !== undefined) return forbidden(`${agent} is switched off (${switchedOff}).`);
	const target = choosePrincipal(principal.id, from);
	return isRefusal(target) ? denialOf(target) : undefined;
}

/** The plan with what is left of the tools that it had, and why not the others; told to the child and to the requester. */
function planNow(record: RunRecord, { config, catalog, consent }: Sources): LaunchPlan | Denial {
	const plan = inBackground(record.plan);
	const agent = agentNow(plan, catalog);
	if (!agent) return { status: "error", error: `There is no agent ${plan.agent} any more: ${plan.definition.file}` };
	// They were there when it was planned, and the host looks again.
	const now = sortTools({ agent, config, active: plan.tools, known: undefined, consent: consent(agent) });
	const tools = plan.tools.filter((name) => now.tools.includes(name));
	const lost = plan.tools.filter((name) => !tools.includes(name));
	const whyOf = new Map(now.leftOut.map(({ name, why }) => [name, why]));
	const warnings = leftOutWarnings(
		lost.map((name) => ({ name, why: whyOf.get(name) ?? "not_asked_for" })),
		agent,
	);
	if (tools.length === 0) {
		return { status: "error", error: [`${plan.agent} has none of the tools left that it had.`, ...warnings].join(" ") };
	}
	const { extensionOf } = plan;
	const extensions = extensionOf
		? [...new Set(tools.flatMap((name) => (Object.hasOwn(extensionOf, name) ? (extensionOf[name] ?? []) : [])))]
		: plan.extensions;
	return {
		...plan,
		tools,
		extensions,
		prompt: withTools(plan.prompt, plan.tools, tools),
		limits: limitsNow({ plan: record.plan, background: record.mode === "background", agent }, config),
		warnings: [...plan.warnings, ...warnings],
	};
}

const forbidden = (error: string): Denial => ({ status: "forbidden", error });
