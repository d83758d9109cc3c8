import { applyChanges, undoChanges } from "../operate/apply.ts";
import { changeRun, YES_OPTION } from "./change-request.ts";
import type { Command } from "./command.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";

export const apply: Command = {
	name: "apply",
	takes: `<run> [--undo] [--yes] ${SCOPE_TAKES}`,
	does: "apply the changes of a run to your working tree, all or nothing; --undo reverts them",
	words: [1, 1],
	completes: "runs",
	options: { undo: { type: "boolean", does: "revert applied changes" }, ...YES_OPTION, ...SCOPE_OPTIONS },
	run: (call) =>
		call.options.undo === true
			? changeRun(call, { name: "apply --undo", question: "Remove its changes from your working tree?" }, undoChanges)
			: changeRun(call, { name: "apply", question: "Apply its changes to your working tree?" }, applyChanges),
};
