import { defineTool } from "@earendil-works/pi-coding-agent";
import { type Static, Type } from "typebox";
import type { AgentDefinition } from "../../agents/definition.ts";
import { delegate } from "../../delegate.ts";
import type { Announcer } from "../../deliver/announcer.ts";
import type { RunEvents } from "../../deliver/run-events.ts";
import { refusalResult } from "../../deliver/tool-result.ts";
import { refuse } from "../../run/errors.ts";
import type { RunId } from "../../run/ids.ts";
import { isRecord } from "../../run/is-record.ts";
import { messageOf } from "../../run/message-of.ts";
import type { LiveRuns } from "../../supervise/live-runs.ts";
import { askUser } from "../ask-user.ts";
import type { CallGroups } from "../call-groups.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { conversationToFork } from "../fork/conversation.ts";
import { parentFacts } from "../parent-facts.ts";
import { conversationOf, type PiConversation } from "../pi-conversation.ts";
import { routeOf } from "../route.ts";
import type { StillRows } from "../still-rows.ts";
import { subagentDescription } from "../tool-description.ts";
import { foregroundRow } from "../view/foreground-row.ts";
import type { WaitingCalls } from "../waiting-calls.ts";
import { subagentOutput } from "./subagent-output.ts";

const parametersFor = (agents: readonly AgentDefinition[]) =>
	Type.Object(
		{
			agent: Type.String({ minLength: 1 }),
			task: Type.String({
				minLength: 1,
				description: agents.some(({ context }) => context === "fork")
					? "What it should do. Only those marked so know this conversation."
					: "What it should do. It sees nothing of this conversation.",
			}),
			sessionId: Type.Optional(Type.String({ description: "Continue this child session" })),
		},
		{ additionalProperties: false },
	);

/** Valid for the schema, but not the name of an agent or a task. */
const NOT_GIVEN = " ";

/**
 * Lets a call without a usable agent or task pass the schema, so that it gets INVALID_INPUT like every other wrong request:
 * pi's own refusal has no `details`. Unknown fields stay, so that pi refuses them.
 */
function withMarkers(given: unknown): Static<ReturnType<typeof parametersFor>> {
	const fields = isRecord(given) ? given : {};
	const usable = (value: unknown) => (typeof value === "string" && value !== "" ? value : NOT_GIVEN);
	return { ...fields, agent: usable(fields.agent), task: usable(fields.task) };
}

export interface SubagentToolSetup extends DelegationSetup {
	/** The agents to name in the description. */
	agents: AgentDefinition[];
	/** When to delegate, for the parent's system prompt; may be empty. */
	policy: string;
	groups: CallGroups;
	announcer: Announcer<PiConversation>;
	events: RunEvents;
	live: LiveRuns;
	calls: WaitingCalls;
	rows: StillRows;
}

/** The `subagent` tool: delegate a task and wait for the answer. */
export function subagentTool({
	pi,
	services,
	agents,
	policy,
	groups,
	announcer,
	events,
	live,
	calls,
	rows,
	decisions,
}: SubagentToolSetup) {
	const tool = defineTool({
		name: "subagent",
		label: "Subagent",
		description: subagentDescription(agents),
		promptGuidelines: policy === "" ? [] : policy.split("\n"),
		parameters: parametersFor(agents),
		prepareArguments: withMarkers,
		...foregroundRow(rows),
		async execute(toolCall, request, signal, onUpdate, ctx) {
			const route = routeOf(ctx);
			const { mode } = ctx;
			const call = calls.begin();
			let admitted: RunId | undefined;
			try {
				await groups.turn();
				return await services.use(ctx, (available) =>
					delegate(
						{
							...request,
							// For its announce, in case this process dies before the result is in the conversation.
							...(route !== undefined && { route }),
							parentSession: ctx.sessionManager.getSessionId(),
							toolCall,
							signal: AbortSignal.any([calls.ended, ...(signal ? [signal] : [])]),
							// In the terminal, any other abort was most likely a key press of the user.
							stopper: () => (mode === "tui" && !calls.ended.aborted ? "the user" : "the parent"),
							onStopRequested: () => call.writtenDown(),
							leave: call.leave,
							onLeft: (record) => announcer.endAwait(record.run.id),
							onUpdate: (partial) => {
								onUpdate?.(partial);
								const { streaming } = partial.details;
								if (admitted !== undefined && streaming) live.heard(admitted, streaming);
							},
							onAdmitted: (record) => {
								events.created(record, available);
								admitted = record.run.id;
								call.runId = admitted;
								if (rows.has(toolCall)) live.await(admitted);
								announcer.await(admitted, toolCall);
								announcer.attend(conversationOf(pi, ctx));
							},
							onAsk: askUser(ctx, available),
						},
						{ ...parentFacts(pi, ctx, decisions), conversation: conversationToFork(ctx, () => import("../lazy.ts")) },
						available,
					),
				);
			} catch (error) {
				// A run that was admitted continues without this call, and is announced.
				if (admitted !== undefined) announcer.endAwait(admitted);
				// There is a result even if something of ours is broken, such as a ledger that cannot be opened, or the disk
				// is full.
				return refusalResult(refuse("SUBAGENT_FAILED", messageOf(error), "internal"));
			} finally {
				calls.finish(call);
				if (admitted !== undefined) {
					announcer.returned(admitted);
					live.endAwait(admitted);
				}
			}
		},
	});
	// pi before 0.99 has no scripts, and ignores it.
	return { ...tool, outputSchema: subagentOutput };
}
