import { changesOf, viewChanges } from "../operate/changes.ts";
import { isDenial } from "../operate/denial.ts";
import { changesListReport, changesReport } from "../operate/report/changes.ts";
import { changeSources } from "./change-request.ts";
import type { Command } from "./command.ts";
import { withRunNamed } from "./named-run.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES, scopeOf } from "./scope.ts";
import { nothingYet, withLedger } from "./surroundings.ts";

const CHANGES_LISTED = 50;

export const changes: Command = {
	name: "changes",
	takes: `[run] ${SCOPE_TAKES}`,
	does: "list the changes of all runs, and whether they were applied; with a run, list its files",
	words: [0, 1],
	completes: "runs",
	options: SCOPE_OPTIONS,
	async run(call) {
		const { words, options, out } = call;
		if (words.length > 0) {
			return withRunNamed(
				call,
				async (record, ledger) => {
					const found = await changesOf(record, changeSources(ledger));
					if (isDenial(found)) return out.failed(found.error);
					if (out.isJson) out.document(found);
					else out.lines(changesReport(found, out));
					return 0;
				},
				{ recovers: true },
			);
		}
		const found = await withLedger(
			(ledger) => viewChanges({ ...scopeOf(options, ledger), limit: CHANGES_LISTED }, changeSources(ledger)),
			{ toLook: true },
		);
		if (out.isJson) out.document({ changes: found ?? [] });
		else
			out.lines(
				changesListReport(found ?? [], { width: out.width, none: found ? "No run has changes." : nothingYet() }),
			);
		return 0;
	},
};
