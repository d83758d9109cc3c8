import { discardChanges } from "../operate/branch-and-discard.ts";
import { changeRun, YES_OPTION } from "./change-request.ts";
import type { Command } from "./command.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";

export const discard: Command = {
	name: "discard",
	takes: `<run> [--yes] ${SCOPE_TAKES}`,
	does: "delete the changes of a run; this cannot be undone",
	words: [1, 1],
	completes: "runs",
	options: { ...YES_OPTION, ...SCOPE_OPTIONS },
	run: (call) => changeRun(call, { name: "discard", question: "Remove its changes for good?" }, discardChanges),
};
