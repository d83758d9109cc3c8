import { applyChanges, undoChanges } from "../operate/apply.ts";
import { changeRun, YES_OPTION } from "./change-request.ts";
import type { Command } from "./command.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";

export const apply: Command = {
	name: "apply",
	takes: `<run> [--undo] [--yes] ${SCOPE_TAKES}`,
	does: "put the changes of a run into your working tree, all or none; --undo takes them out again",
	words: [1, 1],
	completes: "runs",
	options: { undo: { type: "boolean", does: "take applied changes out again" }, ...YES_OPTION, ...SCOPE_OPTIONS },
	run: (call) =>
		call.options.undo === true
			? changeRun(call, { name: "apply --undo", question: "Take its changes out of your working tree?" }, undoChanges)
			: changeRun(call, { name: "apply", question: "Put its changes into your working tree?" }, applyChanges),
};
