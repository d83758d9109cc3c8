import { historyOf } from "../operate/history.ts";
import { historyReport } from "../operate/report/history.ts";
import { summaryOf } from "../operate/runs.ts";
import { type Command, countOption } from "./command.ts";
import { follow } from "./follow.ts";
import { withRunNamed } from "./named-run.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES } from "./scope.ts";
import { redactorHere } from "./surroundings.ts";

export const log: Command = {
	name: "log",
	takes: `<run> [-f] [--tools] [--limit <n>] ${SCOPE_TAKES}`,
	does: "show what was said in a run's session; -f follows it until the run finishes, and exits with 1 if it failed",
	words: [1, 1],
	completes: "runs",
	options: {
		follow: { type: "boolean", short: "f", does: "follow new messages until the run has finished" },
		tools: { type: "boolean", short: "t", does: "include tool calls and their results" },
		limit: {
			type: "string",
			short: "n",
			takes: "<n>",
			does: "show only this many of the latest messages (default 50)",
		},
		...SCOPE_OPTIONS,
	},
	async run(call) {
		const { options, out } = call;
		const limit = countOption(options.limit, "limit");
		if (typeof limit === "object") return out.misused(limit.error);
		const request = { includeTools: options.tools === true, ...(limit !== undefined && { limit }) };
		return withRunNamed(
			call,
			(record, ledger) => {
				const sources = { ledger, redactor: redactorHere() };
				if (options.follow) return follow(record, request, { ...sources, out });
				const history = historyOf(record, request, sources);
				if (out.isJson) out.document(history);
				else out.lines(historyReport(history, { width: out.width, run: summaryOf(record, sources) }));
				return 0;
			},
			{ toLook: true },
		);
	},
};
