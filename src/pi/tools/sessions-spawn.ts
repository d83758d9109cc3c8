import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { spawn } from "../../delegate.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { isRefusal, type Refusal, refuse } from "../../run/errors.ts";
import { sessionKey } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import { isThinkingLevel, THINKING_LEVELS } from "../../run/thinking.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { parentFacts } from "../parent-facts.ts";
import { routeOf } from "../route.ts";
import { jsonResult } from "./json-result.ts";

const parameters = Type.Object(
	{
		task: Type.String({ minLength: 1 }),
		agent: Type.Optional(Type.String({ description: "Default: a general child with your tools" })),
		label: Type.Optional(Type.String()),
		agentId: Type.Optional(Type.String()),
		model: Type.Optional(Type.String()),
		thinking: Type.Optional(Type.String()),
		runTimeoutSeconds: Type.Optional(Type.Number({ minimum: 0 })),
		cleanup: Type.Optional(Type.Union([Type.Literal("keep"), Type.Literal("delete")])),
	},
	{ additionalProperties: false },
);

/** What `sessions_spawn` answers. */
export type SpawnReceipt =
	| { status: "accepted"; runId: string; childSessionKey: string; model: string; warning?: string }
	| { status: "forbidden" | "error"; error: string };

/** The `sessions_spawn` tool: delegate a task and go on. */
export function sessionsSpawnTool({ pi, services, approveProjectAgent, onSpawned }: DelegationSetup) {
	return defineTool({
		name: "sessions_spawn",
		label: "Spawn subagent",
		description:
			"Delegate a task to a subagent in the background and go on at once. Its report comes into this conversation by itself when it ends: do not wait or poll.",
		parameters,
		async execute(toolCall, request, _signal, _onUpdate, ctx) {
			const { thinking, ...rest } = request;
			if (thinking !== undefined && !isThinkingLevel(thinking)) {
				return receipt({ status: "error", error: `thinking must be one of ${THINKING_LEVELS.join(", ")}.` });
			}
			const accepted = services.use(ctx, (available) => {
				const timeout = available.config.agents.defaults.subagents.runTimeoutSeconds;
				const route = routeOf(ctx);
				return spawn(
					{
						runTimeoutSeconds: timeout,
						...rest,
						...(thinking !== undefined && { thinking }),
						...(route !== undefined && { route }),
						parentSession: ctx.sessionManager.getSessionId(),
						toolCall,
					},
					parentFacts(pi, ctx, (agent) => approveProjectAgent(ctx, agent)),
					available,
				);
			});
			// Something of ours is broken: a ledger that cannot be opened, a disk that is full. Still an answer.
			const record = await accepted.catch((error) => refuse("SUBAGENT_FAILED", messageOf(error), "internal"));
			if (isRefusal(record)) return receipt(refusalReceipt(record));
			onSpawned(ctx, record);
			return receipt(acceptance(record));
		},
	});
}

function acceptance({ run, plan, sessionId }: RunRecord): SpawnReceipt {
	return {
		status: "accepted",
		runId: run.id,
		childSessionKey: sessionKey(plan.principal.id, sessionId),
		model: `${plan.model.provider}/${plan.model.id}`,
		...(plan.warnings.length > 0 && { warning: plan.warnings.join(" ") }),
	};
}

/** Forbidden is what a setting says; anything else that was wrong with the request is an error. */
function refusalReceipt({ error }: Refusal): SpawnReceipt {
	const forbidden = ["SUBAGENTS_DISABLED", "SUBAGENT_DISABLED", "SUBAGENT_DEPTH_EXCEEDED"].includes(error.code);
	return { status: forbidden ? "forbidden" : "error", error: error.message };
}

const receipt = (answer: SpawnReceipt) => jsonResult(answer);
