import { discardChanges } from "../operate/branch-and-discard.ts";
import { changeRun, YES_OPTION } from "./change-request.ts";
import type { Command } from "./command.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";

export const discard: Command = {
	name: "discard",
	takes: `<run> [--yes] ${SCOPE_TAKES}`,
	does: "remove the changes of a run for good",
	words: [1, 1],
	completes: "runs",
	options: { ...YES_OPTION, ...SCOPE_OPTIONS },
	run: (call) => changeRun(call, { name: "discard", question: "Remove its changes for good?" }, discardChanges),
};
