import type { RunId, SessionId } from "../run/ids.ts";
import type { Phase } from "../run/phase.ts";
import type { Ledger } from "./ledger.ts";

/** Which runs to look for. A missing field matches every run. */
export interface RunSearch {
	phases?: readonly Phase[];
	/** How it ended; `failed` means any way but success. */
	status?: string;
	agent?: string;
	/** In one of these directories. */
	cwds?: readonly string[];
	parentSession?: string;
	/** In the task, the label, the agent's name or the id. */
	text?: string;
}

/** The ids of the runs that match, newest first; with `before`, of those that were admitted before that one. */
export function searchRuns(
	ledger: Ledger,
	search: RunSearch,
	{ limit, before }: { limit: number; before?: number | undefined },
): { id: RunId; seq: number }[] {
	const { condition, values } = conditionOf(search);
	const sql = `SELECT id, seq FROM runs WHERE ${condition} AND seq < ? ORDER BY seq DESC LIMIT ?`;
	return ledger.all(sql, ...values, before ?? Number.MAX_SAFE_INTEGER, limit);
}

export function countFound(ledger: Ledger, search: RunSearch): number {
	const { condition, values } = conditionOf(search);
	return ledger.get<{ n: number }>(`SELECT count(*) AS n FROM runs WHERE ${condition}`, ...values)?.n ?? 0;
}

/** The runs of a child session, oldest first. */
export function runsOfSession(ledger: Ledger, sessionId: SessionId, limit: number): RunId[] {
	const sql = "SELECT id FROM runs WHERE session_id = ? ORDER BY seq DESC LIMIT ?";
	return ledger
		.all<{ id: RunId }>(sql, sessionId, limit)
		.map(({ id }) => id)
		.reverse();
}

/** Every agent, and every directory, of the sessions that are kept. */
export const agentsWithRuns = (ledger: Ledger): string[] => distinctOf(ledger, "agent");
export const foldersWithRuns = (ledger: Ledger): string[] => distinctOf(ledger, "cwd");

const distinctOf = (ledger: Ledger, column: "agent" | "cwd"): string[] =>
	ledger.all<{ it: string }>(`SELECT DISTINCT ${column} AS it FROM sessions ORDER BY 1`).map(({ it }) => it);

const OF_PHASE: Readonly<Record<Phase, string>> = {
	queued: "(state = 'queued' AND stop_at IS NULL)",
	running: "(state = 'running' AND stop_at IS NULL)",
	stopping: "(state <> 'ended' AND stop_at IS NOT NULL)",
	ended: "state = 'ended'",
};

/** A row may be damaged, and SQLite fails on anything that is not JSON. */
const STATUS_OF_ROW = "CASE WHEN json_valid(outcome) THEN outcome ->> '$.status' END";
const TASK_OF_ROW = "CASE WHEN json_valid(plan) THEN plan ->> '$.task' END";

function conditionOf({ phases, status, agent, cwds, parentSession, text }: RunSearch) {
	const parts: [condition: string, ...values: string[]][] = [["true"]];
	if (phases && phases.length > 0) parts.push([`(${phases.map((phase) => OF_PHASE[phase]).join(" OR ")})`]);
	if (status === "failed") parts.push([`state = 'ended' AND ${STATUS_OF_ROW} <> 'success'`]);
	else if (status !== undefined) parts.push([`state = 'ended' AND ${STATUS_OF_ROW} = ?`, status]);
	if (agent !== undefined) parts.push(["agent = ?", agent]);
	if (cwds) parts.push([`session_id IN (SELECT id FROM sessions WHERE cwd IN (${placeholders(cwds)}))`, ...cwds]);
	if (parentSession !== undefined) parts.push(["parent_session = ?", parentSession]);
	if (text !== undefined && text !== "") {
		const like = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
		const columns = ["id", "agent", "label", TASK_OF_ROW].map((column) => `${column} LIKE ? ESCAPE '\\'`);
		parts.push([`(${columns.join(" OR ")})`, ...columns.map(() => like)]);
	}
	return {
		condition: parts.map(([condition]) => condition).join(" AND "),
		values: parts.flatMap(([, ...rest]) => rest),
	};
}

const placeholders = (values: readonly string[]): string => values.map(() => "?").join(", ");
