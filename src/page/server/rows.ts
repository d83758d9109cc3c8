import { attemptsOf } from "../../ledger/attempts.ts";
import { changesStateOf } from "../../ledger/changes.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { countAsking } from "../../ledger/open-questions.ts";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import { countRuns } from "../../ledger/run-list.ts";
import { agentsWithRuns, countFound, foldersWithRuns, type RunSearch, searchRuns } from "../../ledger/run-search.ts";
import { spentToday } from "../../ledger/spending.ts";
import { findUnreadable } from "../../ledger/unreadable.ts";
import { lastDays } from "../../operate/costs.ts";
import { spansOf } from "../../operate/run-spans.ts";
import { type RunSources, summaryOf } from "../../operate/runs.ts";
import type { Phase } from "../../run/phase.ts";
import { reshaped } from "../../run/redacted.ts";
import { inputTokens } from "../../run/usage.ts";
import type { Overview, PageRun, RunPage, RunQuery } from "../api/runs.ts";

const USUAL_ROWS = 100;
const MOST_PAGE_RUNS = 200;
const MOST_TO_FILTER_BY = 200;
/** A list shows one line of it. */
const ROW_TASK_CHARS = 200;

export function pageRunOf(record: RunRecord, sources: RunSources): PageRun {
	const { ledger, redactor } = sources;
	const { run } = record;
	// Rows are kept until their run changes, and a position in the queue changes without it.
	const summary = summaryOf(record, sources, () => ({}));
	const attempts = attemptsOf(ledger, run.id).map((attempt) =>
		attempt.model === undefined ? attempt : { ...attempt, model: redactor.redact(attempt.model) },
	);
	const changes = changesStateOf(ledger, run.id);
	return {
		...summary,
		task: reshaped(summary.task, taskInRow),
		seq: record.seq,
		spans: spansOf({ ...summary, attempt: run.attempt }, attempts),
		...(changes !== undefined && { changes }),
		...(run.state === "ended" && run.archivedAt !== undefined && { archived: true as const }),
	};
}

const taskInRow = (task: string): string =>
	task.length > ROW_TASK_CHARS ? `${task.slice(0, ROW_TASK_CHARS - 1).toWellFormed()}…` : task;

export function runPage(query: RunQuery, sources: RunSources): RunPage {
	const { ledger } = sources;
	const search = searchOf(query, sources);
	const limit = Math.min(Math.max(1, query.limit ?? USUAL_ROWS), MOST_PAGE_RUNS);
	const found = searchRuns(ledger, search, { limit: limit + 1, before: query.before });
	const shown = found.slice(0, limit);
	const next = found.length > limit ? shown.at(-1)?.seq : undefined;
	return {
		runs: pageRunsOf(ledger, shown, sources),
		total: countFound(ledger, search),
		...(next !== undefined && { next }),
	};
}

const PHASES: readonly Phase[] = ["queued", "running", "stopping", "ended"];

function searchOf({ phase, status, agent, cwd, session, text }: RunQuery, sources: RunSources): RunSearch {
	const phases = phase === undefined ? undefined : PHASES.filter((one) => phase.split(",").includes(one));
	return {
		...(phases && { phases }),
		...(status !== undefined && { status }),
		...(agent !== undefined && { agent }),
		...(cwd !== undefined && { cwds: foldersCalled(cwd, sources) }),
		...(session !== undefined && { parentSession: session }),
		...(text !== undefined && { text }),
	};
}

/** Pages use folders as they are shown, with the home folder as `~`. */
export const foldersCalled = (shown: string, { ledger, redactor }: RunSources): string[] =>
	foldersWithRuns(ledger).filter((folder) => folder === shown || redactor.redact(folder) === shown);

export function overviewOf(sources: RunSources): Overview {
	const { ledger, redactor } = sources;
	const at = Date.now();
	const { total, queued, running } = countRuns(ledger, {});
	const { usage, ...today } = spentToday(ledger, lastDays(1, at)[0] ?? at);
	const open = searchRuns(ledger, { phases: ["queued", "running", "stopping"] }, { limit: MOST_PAGE_RUNS });
	const rows = pageRunsOf(ledger, open, sources);
	const unreadable = open.flatMap(({ id }) =>
		rows.some(({ runId }) => runId === id) ? [] : (findUnreadable(ledger, id) ?? []),
	);
	return {
		at,
		running,
		queued,
		asking: countAsking(ledger),
		today: { ...today, cost: usage.cost, tokens: inputTokens(usage) + usage.output },
		total,
		open: rows,
		agents: agentsWithRuns(ledger).slice(0, MOST_TO_FILTER_BY),
		folders: foldersWithRuns(ledger)
			.slice(0, MOST_TO_FILTER_BY)
			.map((folder) => redactor.redact(folder)),
		...(unreadable.length > 0 && {
			unreadable: unreadable.map(({ id, problem }) => ({ runId: id, problem: redactor.redact(problem) })),
		}),
	};
}

const pageRunsOf = (ledger: Ledger, found: readonly { id: RunRecord["run"]["id"] }[], sources: RunSources): PageRun[] =>
	found.flatMap(({ id }) => findRun(ledger, id) ?? []).map((record) => pageRunOf(record, sources));
