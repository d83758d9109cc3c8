import { runListReport } from "../operate/report/run-list.ts";
import { listRuns } from "../operate/runs.ts";
import { type Command, countOption } from "./command.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES, scopeOf } from "./scope.ts";
import { nothingYet, redactorHere, withLedger } from "./surroundings.ts";

const USUAL_LIMIT = 20;

export const list: Command = {
	name: "list",
	takes: `[--all|--limit <n>] ${SCOPE_TAKES}`,
	does: "the runs of all sessions: open ones first, the newest first",
	words: [0, 0],
	options: {
		...SCOPE_OPTIONS,
		all: { type: "boolean", short: "a", does: "all of them" },
		limit: { type: "string", short: "n", takes: "<n>", does: `at most so many (${USUAL_LIMIT})` },
	},
	async run({ options, out }) {
		const asked = countOption(options.limit, "limit");
		if (typeof asked === "object") return out.misused(asked.error);
		if (options.all && asked !== undefined) return out.misused("--all and --limit exclude each other: leave one out.");
		const limit = options.all ? Number.MAX_SAFE_INTEGER : (asked ?? USUAL_LIMIT);
		const scope = scopeOf(options);
		const runs = await withLedger((ledger) => listRuns({ ...scope, limit }, { ledger, redactor: redactorHere() }), {
			toLook: true,
		});
		const shown = runs ?? { runs: [], count: { total: 0, queued: 0, running: 0 } };
		if (out.isJson) out.document(shown);
		else {
			out.lines(
				runListReport(shown, {
					width: out.width,
					now: Date.now(),
					numbered: scope.parentSession !== undefined,
					howToSeeMore: "--all shows them.",
					none: runs ? "No runs." : nothingYet(),
				}),
			);
		}
		return 0;
	},
};
