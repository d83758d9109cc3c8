import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type Services, spawn } from "../../delegate.ts";
import { scriptValue } from "../../deliver/script-value.ts";
import { toolResult } from "../../deliver/tool-result.ts";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import { isDenial } from "../../operate/denial.ts";
import { listSessions } from "../../operate/list.ts";
import {
	REQUEST_VERSION,
	type SubagentsMethod,
	type SubagentsParams,
	type SubagentsResponse,
	type SubagentsResults,
} from "../../operate/requests.ts";
import { sendToSession } from "../../operate/send.ts";
import { stopRun } from "../../operate/stop.ts";
import { isRefusal, type Refusal, refuse } from "../../run/errors.ts";
import { isRunId, sessionKey } from "../../run/ids.ts";
import { isRecord } from "../../run/is-record.ts";
import { messageOf } from "../../run/message-of.ts";
import { quoted } from "../../run/quoted.ts";
import { isThinkingLevel } from "../../run/thinking.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { conversationToFork } from "../fork/conversation.ts";
import { copyConversation } from "../fork/copy.ts";
import { parentFacts } from "../parent-facts.ts";
import { routeOf } from "../route.ts";
import { METHODS, paramsProblem } from "./params.ts";

export interface Serving {
	setup: DelegationSetup;
	ctx: ExtensionContext;
	/** The session is over: no call waits any more. */
	over: AbortSignal;
}

/** Answers a request of another extension. Every request with an id gets a response. */
export async function answerRequest(given: unknown, serving: Serving): Promise<SubagentsResponse | undefined> {
	if (!isRecord(given) || typeof given.id !== "string") return undefined;
	const about = { version: REQUEST_VERSION, id: given.id } as const;
	const result = await resultOf(given, serving);
	return isRefusal(result) ? { ...about, ok: false, error: result.error } : { ...about, ok: true, result };
}

async function resultOf(given: Record<string, unknown>, serving: Serving): Promise<RequestAnswer> {
	const { version, method, params = {} } = given;
	if (version !== REQUEST_VERSION) {
		return wrong(`This pi-geon answers requests of version ${REQUEST_VERSION}, not ${quoted(String(version))}.`);
	}
	const known = METHODS.find((name) => name === method);
	if (known === undefined)
		return wrong(`There is no method ${quoted(String(method))}. There are ${METHODS.join(", ")}.`);
	const problem = paramsProblem(known, params);
	if (problem !== undefined) return wrong(`${known}: ${problem}.`);
	try {
		const { services } = serving.setup;
		return await services.use<RequestAnswer>(serving.ctx, (available) =>
			DO[known](params as never, serving, available),
		);
	} catch (error) {
		return refuse("SUBAGENT_FAILED", messageOf(error), "internal");
	}
}

type RequestAnswer = SubagentsResults[SubagentsMethod] | Refusal;

const wrong = (message: string, reason?: string): Refusal => refuse("INVALID_INPUT", message, reason);

const DO: {
	[Method in SubagentsMethod]: (
		params: SubagentsParams[Method],
		serving: Serving,
		services: Services,
	) => Promise<SubagentsResults[Method] | Refusal>;
} = {
	async spawn({ thinking, ...request }, { setup, ctx }, services) {
		const route = routeOf(ctx);
		const { runTimeoutSeconds } = services.config.agents.defaults.subagents;
		const record = await spawn(
			{
				runTimeoutSeconds,
				...request,
				...(thinking !== undefined && isThinkingLevel(thinking) && { thinking }),
				...(route !== undefined && { route }),
				parentSession: ctx.sessionManager.getSessionId(),
			},
			{
				...parentFacts(setup.pi, ctx, setup.decisions),
				conversation: conversationToFork(ctx, async () => ({ copyConversation })),
			},
			services,
		);
		if (isRefusal(record)) return record;
		setup.onSpawned(ctx, record);
		const { run, sessionId, plan } = record;
		return {
			runId: run.id,
			sessionId,
			sessionKey: sessionKey(plan.principal.id, sessionId),
			model: `${plan.model.provider}/${plan.model.id}`,
			...(plan.warnings.length > 0 && { warnings: plan.warnings }),
		};
	},

	async wait({ runId, timeoutMs }, { ctx, over }, services) {
		const record = ownRun(runId, ctx, services);
		if (isRefusal(record)) return record;
		const leave = timeoutMs === undefined ? over : AbortSignal.any([over, AbortSignal.timeout(timeoutMs)]);
		const ended = await services.supervisor.watch(record.run.id, { leave });
		if (ended) return scriptValue(toolResult(ended, services.redactor).details);
		const { run, sessionId, usage } = findRun(services.ledger, record.run.id) ?? record;
		return { status: "RUNNING", runId: run.id, sessionId, usage };
	},

	async send(request, { setup, ctx }, services) {
		const route = routeOf(ctx);
		const { answer } = await sendToSession(
			{ ...request, parentSession: ctx.sessionManager.getSessionId(), withinMs: 0, route },
			parentFacts(setup.pi, ctx, setup.decisions),
			services,
			// No call waits here, so every outcome may be announced.
			{ onWaiting: () => {}, onLeft: () => {}, onSpawned: (record) => setup.onSpawned(ctx, record) },
		);
		if (isDenial(answer)) return wrong(answer.error, answer.status === "forbidden" ? "forbidden" : undefined);
		return { runId: answer.runId, sessionKey: answer.sessionKey };
	},

	async stop({ runId }, { ctx }, services) {
		const record = ownRun(runId, ctx, services);
		if (isRefusal(record)) return record;
		const stopped = stopRun(services.ledger, record, { by: "an extension" });
		services.supervisor.wake();
		return stopped;
	},

	async list(request, { ctx }, services) {
		return listSessions({ ...request, parentSession: ctx.sessionManager.getSessionId() }, services);
	},
};

/** A run of this conversation. An extension may not see the runs of others. */
function ownRun(runId: string, ctx: ExtensionContext, { ledger }: Services): RunRecord | Refusal {
	const record = isRunId(runId) ? findRun(ledger, runId) : undefined;
	if (record?.parentSession === ctx.sessionManager.getSessionId()) return record;
	return wrong(`There is no run ${quoted(runId)} of this conversation.`, "unknown_run");
}
