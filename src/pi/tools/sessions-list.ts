import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { listSessions } from "../../operate/list.ts";
import { markedList } from "../../operate/marked.ts";
import type { SessionServices } from "../session-services.ts";
import { renderListCall } from "../view/session-calls.ts";
import { renderListResult } from "../view/session-results.ts";
import { markedAnswer } from "./json-result.ts";

const listParameters = Type.Object(
	{
		kinds: Type.Optional(Type.Array(Type.Union([Type.Literal("foreground"), Type.Literal("background")]))),
		limit: Type.Optional(Type.Number()),
		activeMinutes: Type.Optional(Type.Number()),
		messageLimit: Type.Optional(Type.Number()),
	},
	{ additionalProperties: false },
);

/** The `sessions_list` tool: the subagents of this conversation and their state. */
export function sessionsListTool(services: SessionServices) {
	return defineTool({
		name: "sessions_list",
		label: "List subagents",
		description: "Your subagents and their state; with messageLimit, their last messages",
		parameters: listParameters,
		renderCall: renderListCall,
		renderResult: renderListResult,
		execute: (_toolCall, request, _signal, _onUpdate, ctx) =>
			markedAnswer(() =>
				services.use(ctx, async (available) => {
					const details = listSessions({ ...request, parentSession: ctx.sessionManager.getSessionId() }, available);
					return { details, marked: markedList(details) };
				}),
			),
	});
}
