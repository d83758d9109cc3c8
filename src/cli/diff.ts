import { diffOf } from "../operate/changes.ts";
import { isDenial } from "../operate/denial.ts";
import { diffReport } from "../operate/report/changes.ts";
import { changeSources } from "./change-request.ts";
import type { Command } from "./command.ts";
import { withRunNamed } from "./named-run.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";

export const diff: Command = {
	name: "diff",
	takes: `<run> ${SCOPE_TAKES}`,
	does: "show what a run changed, as a patch with secrets masked",
	words: [1, 1],
	completes: "runs",
	options: SCOPE_OPTIONS,
	run: (call) =>
		withRunNamed(
			call,
			async (record, ledger) => {
				const { out } = call;
				const found = await diffOf(record, changeSources(ledger));
				if (isDenial(found)) return out.failed(found.error);
				if (out.isJson) out.document(found);
				else out.lines(diffReport(found, Number.MAX_SAFE_INTEGER));
				return 0;
			},
			{ recovers: true },
		),
};
