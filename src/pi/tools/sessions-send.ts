import { defineTool, type ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import type { Services } from "../../delegate.ts";
import type { Announcer } from "../../deliver/announcer.ts";
import { piUsage } from "../../deliver/tool-result.ts";
import { isDenial } from "../../operate/denial.ts";
import { type SendAnswer, type SendHooks, sendToSession } from "../../operate/send.ts";
import type { RunId } from "../../run/ids.ts";
import { askUser } from "../ask-user.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { parentFacts } from "../parent-facts.ts";
import { conversationOf, type PiConversation } from "../pi-conversation.ts";
import { routeOf } from "../route.ts";
import { renderSendCall } from "../view/session-calls.ts";
import { renderSendResult } from "../view/session-results.ts";
import { jsonResult, orError } from "./json-result.ts";

const DEFAULT_SECONDS = 30;
const MOST_SECONDS = 24 * 60 * 60;

const sendParameters = Type.Object(
	{
		sessionKey: Type.Optional(Type.String()),
		label: Type.Optional(Type.String()),
		message: Type.String({ minLength: 1 }),
		timeoutSeconds: Type.Optional(Type.Number({ description: "Default 30; 0: do not wait" })),
	},
	{ additionalProperties: false },
);

export interface SendToolSetup extends DelegationSetup {
	announcer: Announcer<PiConversation>;
}

/** The `sessions_send` tool: steer a running subagent, or resume one that has finished. */
export function sessionsSendTool({ pi, services, announcer, decisions, onSpawned }: SendToolSetup) {
	/** How many calls wait for a run: it is announced only once the last of them has left. */
	const waiting = new Map<RunId, number>();
	const hooksFor = (ctx: ExtensionContext, toolCall: string, awaited: Set<RunId>): SendHooks => ({
		onWaiting(id) {
			awaited.add(id);
			waiting.set(id, (waiting.get(id) ?? 0) + 1);
			announcer.await(id, toolCall);
			announcer.attend(conversationOf(pi, ctx));
		},
		onLeft(id) {
			const others = (waiting.get(id) ?? 1) - 1;
			if (others > 0) return void waiting.set(id, others);
			waiting.delete(id);
			announcer.endAwait(id);
			announcer.attend(conversationOf(pi, ctx));
		},
		onSpawned: (record) => onSpawned(ctx, record),
	});
	return defineTool({
		name: "sessions_send",
		label: "Message subagent",
		description: "Message a subagent by sessionKey or label: steers a running one, resumes a finished one",
		parameters: sendParameters,
		renderCall: renderSendCall,
		renderResult: renderSendResult,
		async execute(toolCall, { timeoutSeconds = DEFAULT_SECONDS, ...request }, signal, _onUpdate, ctx) {
			const awaited = new Set<RunId>();
			const send = (available: Services) =>
				sendToSession(
					{
						...request,
						parentSession: ctx.sessionManager.getSessionId(),
						toolCall,
						withinMs: Math.min(timeoutSeconds, MOST_SECONDS) * 1000,
						signal,
						route: routeOf(ctx),
					},
					parentFacts(pi, ctx, decisions),
					available,
					{ ...hooksFor(ctx, toolCall, awaited), onAsk: askUser(ctx, available) },
				);
			const sent = await orError(() => services.use(ctx, send));
			for (const id of awaited) announcer.returned(id);
			if (isDenial(sent)) return jsonResult<SendAnswer>(sent);
			const { answer, marked, ended } = sent;
			// pi adds up the cost of results. Count a run once, even if several calls waited for it, and not again if the call of
			// a foreground run returns the same cost.
			const counts = ended !== undefined && waiting.delete(ended.run.id);
			return { ...jsonResult<SendAnswer>(answer, marked), ...(counts && { usage: piUsage(ended.run.outcome.usage) }) };
		},
	});
}
