import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { sessionHistory } from "../../operate/history.ts";
import type { SessionServices } from "../session-services.ts";
import { renderHistoryCall } from "../view/session-calls.ts";
import { renderHistoryResult } from "../view/session-results.ts";
import { jsonAnswer } from "./json-result.ts";

const parameters = Type.Object(
	{
		sessionKey: Type.String(),
		limit: Type.Optional(Type.Number()),
		includeTools: Type.Optional(Type.Boolean()),
	},
	{ additionalProperties: false },
);

/** The `sessions_history` tool: what was said in the session of a subagent. */
export function sessionsHistoryTool(services: SessionServices) {
	return defineTool({
		name: "sessions_history",
		label: "Subagent history",
		description: "The last messages of a subagent's session",
		parameters,
		renderCall: renderHistoryCall,
		renderResult: renderHistoryResult,
		execute: (_toolCall, request, _signal, _onUpdate, ctx) =>
			jsonAnswer(() =>
				services.use(ctx, async (available) =>
					sessionHistory({ ...request, parentSession: ctx.sessionManager.getSessionId() }, available),
				),
			),
	});
}
