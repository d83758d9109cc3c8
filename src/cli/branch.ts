import { branchChanges } from "../operate/branch-and-discard.ts";
import { changeRun } from "./change-request.ts";
import type { Command } from "./command.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";

export const branch: Command = {
	name: "branch",
	takes: `<run> [name] ${SCOPE_TAKES}`,
	does: "put the changes of a run on a new branch of your repository; your working tree stays as it is",
	words: [1, 2],
	completes: "runs",
	options: SCOPE_OPTIONS,
	run: (call) => {
		const [, name] = call.words;
		return changeRun(call, { name: "branch" }, (record, request) =>
			branchChanges(record, { ...request, ...(name !== undefined && { name }) }),
		);
	},
};
