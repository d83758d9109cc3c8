import type { RunId } from "../run/ids.ts";
import { readUsage } from "../run/stored-usage.ts";
import { addUsage, NO_USAGE, subtractUsage, type Usage } from "../run/usage.ts";
import type { Ledger } from "./ledger.ts";
import { usageIn } from "./unreadable.ts";

/** What a run spent, and on what. */
export interface SpendingRow {
	createdAt: number;
	agent: string;
	cwd: string;
	hasFailed: boolean;
	usage: Usage;
	/** The same by `provider/id` of the model. */
	models: { model: string; usage: Usage }[];
}

/** What the runs created since then spent. Read without the long texts of a run, except for runs of an older pi-geon. */
export function spendingSince(ledger: Ledger, since: number): SpendingRow[] {
	const attempts = attemptsSince(ledger, since);
	const sql = `SELECT runs.id AS id, runs.created_at AS createdAt, runs.agent AS agent, sessions.cwd AS cwd, runs.usage AS usage,
			runs.state = 'ended' AND coalesce(CASE WHEN json_valid(outcome) THEN outcome ->> '$.status' END, '') <> 'success' AS failed
		FROM runs LEFT JOIN sessions ON sessions.id = runs.session_id WHERE runs.created_at >= ?`;
	const rows = ledger.all<{
		id: RunId;
		createdAt: number;
		agent: string;
		cwd: string | null;
		usage: unknown;
		failed: number;
	}>(sql, since);
	return rows.map(({ id, createdAt, agent, cwd, failed, ...row }) => {
		const usage = usageIn(row.usage);
		return {
			createdAt,
			agent,
			cwd: cwd ?? "unknown",
			hasFailed: failed === 1,
			usage,
			models: spendingByModel(ledger, id, usage, attempts.get(id) ?? []),
		};
	});
}

interface AttemptSpending {
	model: string | null;
	usage: Usage | undefined;
}

/** Usage that no attempt accounts for (the current one, or unrecorded ones) is attributed to the last model. */
function spendingByModel(ledger: Ledger, id: RunId, whole: Usage, attempts: AttemptSpending[]): SpendingRow["models"] {
	const known = attempts.flatMap(({ model, usage }) => (model !== null && usage ? [{ model, usage }] : []));
	const rest = subtractUsage(
		whole,
		known.map(({ usage }) => usage).reduce((sum, usage) => addUsage(sum, usage), NO_USAGE),
	);
	if (isNothing(rest)) return known;
	const last = attempts.findLast(({ model }) => model !== null)?.model ?? plannedModel(ledger, id);
	return [...known, { model: last, usage: rest }];
}

/** Cost is a sum of fractions, so a remainder may be a rounding error. */
const isNothing = ({ input, output, cacheRead, cacheWrite, cost }: Usage): boolean =>
	input + output + cacheRead + cacheWrite === 0 && cost < 1e-9;

function plannedModel(ledger: Ledger, id: RunId): string {
	const sql = `SELECT CASE WHEN json_valid(outcome) THEN outcome ->> '$.model' END AS answered,
		CASE WHEN json_valid(plan) THEN (plan ->> '$.model.provider') || '/' || (plan ->> '$.model.id') END AS chosen
		FROM runs WHERE id = ?`;
	const row = ledger.get<{ answered: string | null; chosen: string | null }>(sql, id);
	return row?.answered ?? row?.chosen ?? "unknown";
}

function attemptsSince(ledger: Ledger, since: number): Map<RunId, AttemptSpending[]> {
	const sql = `SELECT attempts.run_id AS id, attempts.model AS model, attempts.usage AS usage FROM attempts
		JOIN runs ON runs.id = attempts.run_id WHERE runs.created_at >= ? ORDER BY attempts.run_id, attempts.number`;
	const byRun = new Map<RunId, AttemptSpending[]>();
	for (const { id, model, usage } of ledger.all<{ id: RunId; model: string | null; usage: unknown }>(sql, since)) {
		const of = byRun.get(id) ?? [];
		of.push({ model, usage: readUsage(usage) });
		byRun.set(id, of);
	}
	return byRun;
}

/**
 * What happened since a moment: the runs that finished, those of them that failed, and what they and the open runs spent.
 */
export function spentToday(ledger: Ledger, midnight: number): { ended: number; failed: number; usage: Usage } {
	const sql = `SELECT usage, CASE WHEN json_valid(outcome) THEN outcome ->> '$.status' END AS status FROM runs
		WHERE state = 'ended' AND ended_at >= ?`;
	const ended = ledger.all<{ usage: unknown; status: string | null }>(sql, midnight);
	const open = ledger.all<{ usage: unknown }>("SELECT usage FROM runs WHERE state <> 'ended'");
	return {
		ended: ended.length,
		failed: ended.filter(({ status }) => status !== "success").length,
		usage: [...ended, ...open].map(({ usage }) => usageIn(usage)).reduce(addUsage, NO_USAGE),
	};
}
