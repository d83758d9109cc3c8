import { defineTool, getAgentDir } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { inLegibleLine } from "../../collect/plain.ts";
import type { Redactor } from "../../collect/redact/redactor.ts";
import { childsWords } from "../../deliver/childs-words.ts";
import { placesIn } from "../../ledger/places.ts";
import { applyChanges, type ChangeRefused, undoChanges } from "../../operate/apply.ts";
import { type Denial, isDenial } from "../../operate/denial.ts";
import { findRunNamed } from "../../operate/find-run.ts";
import type { SessionServices } from "../session-services.ts";
import { renderApplyCall } from "../view/session-calls.ts";
import { renderApplyResult } from "../view/session-results.ts";
import { markedAnswer, orError } from "./json-result.ts";

const applyParameters = Type.Object(
	{
		run: Type.String({ description: "Run id, label or last" }),
		undo: Type.Optional(Type.Boolean({ description: "Revert what was applied" })),
	},
	{ additionalProperties: false },
);

/** Only the user can allow it, in a file that no project can loosen. */
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
			markedAnswer(() =>
				services.use(ctx, async ({ ledger, redactor, config }) => {
					if (!config.subagents.worktree.modelMayApply) return asItIs(ONLY_THE_USER);
					const found = findRunNamed(ledger, run, { parentSession: ctx.sessionManager.getSessionId() });
					if (isDenial(found)) return asItIs(found);
					const by = "the model, with sessions_apply";
					const request = { ledger, redactor, places: placesIn(getAgentDir()), by };
					const answer = await orError(() => (undo ? undoChanges : applyChanges)(found, request));
					return isDenial(answer) ? refusalFor(answer, redactor) : asItIs(answer);
				}),
			),
	});
}

const asItIs = <Details extends object>(details: Details) => ({ details, marked: details });

/** Marks all of a refusal as the child's words: git may quote the names of files, which the child chose. */
function refusalFor(refused: ChangeRefused, redactor: Redactor) {
	const details = redactor.redactValue(refused);
	const words = childsWords();
	const error = words.around(inLegibleLine(details.error));
	return { details, marked: { about: words.sentence, status: details.status, error } };
}
