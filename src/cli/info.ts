import { infoOf } from "../operate/info.ts";
import { runInfoReport } from "../operate/report/run-info.ts";
import type { Command } from "./command.ts";
import { withRunNamed } from "./named-run.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";
import { redactorHere } from "./surroundings.ts";

export const info: Command = {
	name: "info",
	takes: `<run> ${SCOPE_TAKES}`,
	does: "show everything about a run",
	words: [1, 1],
	completes: "runs",
	options: SCOPE_OPTIONS,
	run: (call) =>
		withRunNamed(
			call,
			(record, ledger) => {
				const facts = infoOf(record, { ledger, redactor: redactorHere() });
				if (call.out.isJson) call.out.document(facts);
				else call.out.lines(runInfoReport(facts, { width: call.out.width, now: Date.now(), paint: call.out.paint }));
				return 0;
			},
			{ toLook: true },
		),
};
