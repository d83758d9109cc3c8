import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { listPrincipals } from "../../operate/principals.ts";
import type { SessionServices } from "../session-services.ts";
import { renderPrincipalsCall } from "../view/session-calls.ts";
import { renderPrincipalsResult } from "../view/session-results.ts";
import { jsonAnswer } from "./json-result.ts";

/** The `agents_list` tool: the principals under which a run may be spawned. */
export function agentsListTool(services: SessionServices) {
	return defineTool({
		name: "agents_list",
		label: "List agent ids",
		description: "Which agentIds sessions_spawn may target",
		parameters: Type.Object({}, { additionalProperties: false }),
		renderCall: renderPrincipalsCall,
		renderResult: renderPrincipalsResult,
		execute: (_toolCall, _request, _signal, _onUpdate, ctx) =>
			jsonAnswer(() => services.use(ctx, async (available) => listPrincipals(available))),
	});
}
