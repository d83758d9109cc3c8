import { defineTool, getAgentDir } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { placesIn } from "../../ledger/places.ts";
import { applyChanges, undoChanges } from "../../operate/apply.ts";
import { type Denial, isDenial } from "../../operate/denial.ts";
import { findRunNamed } from "../../operate/find-run.ts";
import type { SessionServices } from "../session-services.ts";
import { renderApplyCall } from "../view/session-calls.ts";
import { renderApplyResult } from "../view/session-results.ts";
import { jsonAnswer } from "./json-result.ts";

const applyParameters = Type.Object(
	{
		run: Type.String({ description: "Run id, label or last" }),
		undo: Type.Optional(Type.Boolean({ description: "Revert what was applied" })),
	},
	{ additionalProperties: false },
);

/** Only the user says so, in a file that no project can loosen. */
const ONLY_THE_USER: Denial = {
	status: "forbidden",
	error:
		"Only the user applies changes here. Ask the user to type /subagents apply, or to set subagents.worktree.modelMayApply.",
};

/** The `sessions_apply` tool: puts what a run changed in its tree into the checkout. Registered only if the user allows it. */
export function sessionsApplyTool(services: SessionServices) {
	return defineTool({
		name: "sessions_apply",
		label: "Apply changes",
		description: "Apply what a subagent changed in its copy to the checkout, all or nothing",
		parameters: applyParameters,
		renderCall: renderApplyCall,
		renderResult: renderApplyResult,
		execute: (_toolCall, { run, undo = false }, _signal, _onUpdate, ctx) =>
			jsonAnswer(() =>
				services.use(ctx, async ({ ledger, redactor, config }) => {
					if (!config.subagents.worktree.modelMayApply) return ONLY_THE_USER;
					const found = findRunNamed(ledger, run, { parentSession: ctx.sessionManager.getSessionId() });
					if (isDenial(found)) return found;
					const answer = await (undo ? undoChanges : applyChanges)(found, {
						ledger,
						redactor,
						places: placesIn(getAgentDir()),
						by: "the model, with sessions_apply",
					});
					return isDenial(answer) ? { ...answer, error: redactor.redact(answer.error) } : answer;
				}),
			),
	});
}
