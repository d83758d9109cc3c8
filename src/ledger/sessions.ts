import type { KnownSession } from "../plan/continued.ts";
import type { RunId, SessionId } from "../run/ids.ts";
import { isThinkingLevel } from "../run/thinking.ts";
import type { Ledger } from "./ledger.ts";

/** A child session that can be continued. Its identity is directory + agent + id. */
export interface SessionRecord extends KnownSession {
	id: SessionId;
}

/** Whether a queued run waits because its session has an earlier run: one session never has two writers. */
export function waitsForSession(ledger: Ledger, runId: RunId): boolean {
	const sql = `SELECT 1 FROM runs AS waiting JOIN runs AS before ON before.session_id = waiting.session_id
		WHERE waiting.id = ? AND before.seq < waiting.seq AND before.state <> 'ended'`;
	return ledger.get(sql, runId) !== undefined;
}

/** Whether a session has a run that is running. */
export function isSessionRunning(ledger: Ledger, id: SessionId): boolean {
	return ledger.get("SELECT 1 FROM runs WHERE session_id = ? AND state = 'running'", id) !== undefined;
}

interface StoredSession extends Pick<SessionRecord, "id" | "agent" | "cwd" | "file" | "definition"> {
	archived_at: number | null;
	started: number;
	last: string | null;
}

/** The facts that a session keeps from the plan of its last run. */
const LAST_PLAN = `json_object('principal', plan ->> '$.principal.id',
	'model', (plan ->> '$.model.provider') || '/' || (plan ->> '$.model.id'), 'modelWarnings', plan -> '$.modelWarnings',
	'thinking', plan ->> '$.thinking', 'projectTrusted', plan -> '$.projectTrusted',
	'fork', plan ->> '$.session.fork', 'pool', plan ->> '$.pool.name')`;

export function findSession(ledger: Ledger, id: SessionId): SessionRecord | undefined {
	const row = ledger.get<StoredSession>(
		`SELECT id, agent, cwd, file, definition, archived_at,
				(SELECT CASE WHEN json_valid(plan) THEN ${LAST_PLAN} END FROM runs
					WHERE session_id = sessions.id ORDER BY seq DESC LIMIT 1) AS last,
				EXISTS (SELECT 1 FROM runs WHERE session_id = sessions.id AND started_at IS NOT NULL) AS started
			FROM sessions WHERE id = ?`,
		id,
	);
	if (!row) return undefined;
	const { archived_at: archivedAt, started, last, ...session } = row;
	return {
		...session,
		...keptBy(last),
		isThere: ledger.files.exists(session.file),
		folderIsThere: ledger.files.exists(session.cwd),
		everStarted: started === 1,
		...(archivedAt !== null && { archivedAt }),
	};
}

function keptBy(plan: string | null): Pick<SessionRecord, "principal" | "last"> {
	if (plan === null) return { principal: "" };
	const { principal, model, modelWarnings, thinking, projectTrusted, fork, pool } = JSON.parse(plan);
	if (typeof model !== "string") return { principal: principal ?? "" };
	return {
		principal: principal ?? "",
		last: {
			model,
			projectTrusted: projectTrusted === true,
			...(Array.isArray(modelWarnings) && { modelWarnings }),
			...(isThinkingLevel(thinking) && { thinking }),
			...(typeof fork === "string" && { fork }),
			...(typeof pool === "string" && { pool }),
		},
	};
}
