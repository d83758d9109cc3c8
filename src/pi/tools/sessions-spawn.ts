import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { type Services, spawn } from "../../delegate.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { type Denial, denialOf, isDenial } from "../../operate/denial.ts";
import { isRefusal } from "../../run/errors.ts";
import { sessionKey } from "../../run/ids.ts";
import { isStartingContext, STARTING_CONTEXTS } from "../../run/starting-context.ts";
import { isThinkingLevel, THINKING_LEVELS } from "../../run/thinking.ts";
import type { CallGroups } from "../call-groups.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { conversationToFork } from "../fork/conversation.ts";
import { parentFacts } from "../parent-facts.ts";
import { routeOf } from "../route.ts";
import { renderSpawnCall } from "../view/session-calls.ts";
import { renderSpawnResult } from "../view/session-results.ts";
import { jsonResult, orError } from "./json-result.ts";

const spawnParameters = Type.Object(
	{
		task: Type.String({ minLength: 1 }),
		agent: Type.Optional(Type.String({ description: "Default: a general child with your tools" })),
		label: Type.Optional(Type.String()),
		agentId: Type.Optional(Type.String()),
		model: Type.Optional(Type.String()),
		thinking: Type.Optional(Type.String()),
		runTimeoutSeconds: Type.Optional(Type.Number({ minimum: 0 })),
		context: Type.Optional(Type.String({ description: "fork: it knows this conversation" })),
		isolation: Type.Optional(Type.Literal("worktree")),
		cleanup: Type.Optional(Type.Enum(["keep", "delete"], { type: "string" })),
		pool: Type.Optional(Type.String()),
	},
	{ additionalProperties: false },
);

/** What `sessions_spawn` answers. */
export type SpawnReceipt =
	| { status: "accepted"; runId: string; childSessionKey: string; model: string; warning?: string }
	| Denial;

/** The `sessions_spawn` tool: delegate a task and do not wait. */
export function sessionsSpawnTool({
	pi,
	services,
	decisions,
	onSpawned,
	groups,
}: DelegationSetup & { groups: CallGroups }) {
	return defineTool({
		name: "sessions_spawn",
		label: "Spawn subagent",
		description:
			"Delegate a task to a subagent in the background. Its report arrives here by itself: do not wait or poll.",
		parameters: spawnParameters,
		renderCall: renderSpawnCall,
		renderResult: renderSpawnResult,
		async execute(toolCall, request, _signal, _onUpdate, ctx) {
			const { thinking, context, ...rest } = request;
			if (context !== undefined && !isStartingContext(context)) {
				return receipt({ status: "error", error: `context must be ${STARTING_CONTEXTS.join(" or ")}.` });
			}
			if (thinking !== undefined && !isThinkingLevel(thinking)) {
				return receipt({ status: "error", error: `thinking must be one of ${THINKING_LEVELS.join(", ")}.` });
			}
			const spawning = (available: Services) => {
				const route = routeOf(ctx);
				return spawn(
					{
						runTimeoutSeconds: available.config.agents.defaults.subagents.runTimeoutSeconds,
						...rest,
						...(thinking !== undefined && { thinking }),
						...(context !== undefined && { context }),
						...(route !== undefined && { route }),
						parentSession: ctx.sessionManager.getSessionId(),
						toolCall,
					},
					{ ...parentFacts(pi, ctx, decisions), conversation: conversationToFork(ctx, () => import("../lazy.ts")) },
					available,
				);
			};
			await groups.turn();
			const record = await orError(() => services.use(ctx, spawning));
			if (isDenial(record)) return receipt(record);
			if (isRefusal(record)) return receipt(denialOf(record));
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
		...(plan.warnings.length > 0 && { warning: plan.warnings.join("\n") }),
	};
}

const receipt = (answer: SpawnReceipt) => jsonResult(answer);
