import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { isDenial } from "../../operate/denial.ts";
import { sessionHistory } from "../../operate/history.ts";
import { markedHistory } from "../../operate/marked.ts";
import type { SessionServices } from "../session-services.ts";
import { renderHistoryCall } from "../view/session-calls.ts";
import { renderHistoryResult } from "../view/session-results.ts";
import { markedAnswer } from "./json-result.ts";

const historyParameters = Type.Object(
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
		parameters: historyParameters,
		renderCall: renderHistoryCall,
		renderResult: renderHistoryResult,
		execute: (_toolCall, request, _signal, _onUpdate, ctx) =>
			markedAnswer(() =>
				services.use(ctx, async (available) => {
					const parentSession = ctx.sessionManager.getSessionId();
					const details = sessionHistory({ ...request, parentSession }, available);
					return { details, marked: isDenial(details) ? details : markedHistory(details) };
				}),
			),
	});
}
