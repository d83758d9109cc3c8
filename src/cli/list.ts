import type { Ledger } from "../ledger/ledger.ts";
import type { RunScope } from "../ledger/run-list.ts";
import { findSession } from "../ledger/sessions.ts";
import { transcriptOf } from "../operate/messages.ts";
import { runListReport } from "../operate/report/run-list.ts";
import { listRuns } from "../operate/runs.ts";
import type { SessionId } from "../run/ids.ts";
import type { Redacted } from "../run/redacted.ts";
import { type Command, countOption } from "./command.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES, scopeOf } from "./scope.ts";
import { nothingYet, redactorHere, withLedger } from "./surroundings.ts";

const USUAL_LIMIT = 20;

export const list: Command = {
	name: "list",
	takes: `[--all|--limit <n>] ${SCOPE_TAKES}`,
	does: "list the runs of all sessions: open ones first, then the newest",
	words: [0, 0],
	options: {
		...SCOPE_OPTIONS,
		all: { type: "boolean", short: "a", does: "show all runs" },
		limit: { type: "string", short: "n", takes: "<n>", does: `show at most this many (default ${USUAL_LIMIT})` },
	},
	async run({ options, out }) {
		const asked = countOption(options.limit, "limit");
		if (typeof asked === "object") return out.misused(asked.error);
		if (options.all && asked !== undefined) return out.misused("--all and --limit cannot be combined.");
		const limit = options.all ? Number.MAX_SAFE_INTEGER : (asked ?? USUAL_LIMIT);
		const runs = await withLedger((ledger) => listedRuns(ledger, { ...scopeOf(options, ledger), limit }), {
			toLook: true,
		});
		const shown = runs ?? { runs: [], count: { total: 0, queued: 0, running: 0 } };
		if (out.isJson) out.document(shown);
		else {
			out.lines(
				runListReport(shown, {
					width: out.width,
					now: Date.now(),
					numbered: options.session !== undefined,
					withOrigin: true,
					paint: out.paint,
					howToSeeMore: "--all shows them.",
					none: runs ? "No runs." : nothingYet(),
				}),
			);
		}
		return 0;
	},
};

/** The runs, each with the path of its transcript if it has one. */
function listedRuns(ledger: Ledger, request: RunScope & { limit: number }) {
	const redactor = redactorHere();
	const transcript = (sessionId: SessionId): { transcript?: Redacted } => {
		const session = findSession(ledger, sessionId);
		const file = session && transcriptOf(session);
		return file === undefined ? {} : { transcript: redactor.redact(file) };
	};
	const { runs, ...counted } = listRuns(request, { ledger, redactor });
	return { runs: runs.map((run) => ({ ...run, ...transcript(run.sessionId) })), ...counted };
}
