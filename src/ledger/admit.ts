import type { LaunchPlan } from "../plan/plan.ts";
import { storedPlan } from "../plan/stored-plan.ts";
import type { Clock } from "../ports/clock.ts";
import { newRunId, type RunId, type SessionId } from "../run/ids.ts";
import { NO_USAGE, type Usage } from "../run/usage.ts";
import type { Ledger } from "./ledger.ts";
import { findRun, type RunMode, type RunRecord } from "./records.ts";
import { findSession } from "./sessions.ts";

export interface Admission {
	plan: LaunchPlan;
	mode: RunMode;
	parentSession: string;
	toolCall?: string;
	label?: string;
	/** The digest of the profile that a host must have. */
	profile: string;
	/** How many runs may run on this machine at once, as the requester's configuration says. */
	laneLimit: number;
	at: number;
	/** What the run has already used on other machines. */
	usage?: Usage;
}

/** Commits a run to the ledger. Accepted means this row: the run now ends even if this process dies. */
export function admitRun(ledger: Ledger, admission: Admission): RunRecord {
	return ledger.transaction("full", () => admitInTransaction(ledger, admission));
}

/** The most runs that one transaction commits, so that other writers do not wait long. */
const TOGETHER = 100;

/**
 * Like `admitRun`, together with other runs requested at the same moment. A commit waits for the disk, and a hundred calls
 * in one message should not wait for it a hundred times. The run is committed when this resolves.
 */
export function admitSoon(ledger: Ledger, admission: Admission, clock: Clock): Promise<RunRecord> {
	const { promise, resolve, reject } = Promise.withResolvers<RunRecord>();
	const applicants = applicantsOf.get(ledger) ?? [];
	applicants.push({ admission, resolve, reject });
	if (applicants.length === 1) clock.after(0, () => admitAll(ledger, clock));
	applicantsOf.set(ledger, applicants);
	return promise;
}

interface Applicant {
	admission: Admission;
	resolve(record: RunRecord): void;
	reject(error: unknown): void;
}

const applicantsOf = new WeakMap<Ledger, Applicant[]>();

function admitAll(ledger: Ledger, clock: Clock): void {
	const applicants = applicantsOf.get(ledger) ?? [];
	const now = applicants.splice(0, TOGETHER);
	if (applicants.length > 0) clock.after(0, () => admitAll(ledger, clock));
	try {
		const answers = ledger.transaction("full", () => now.map(({ admission }) => admitted(ledger, admission)));
		for (const [index, answer] of answers.entries()) {
			if (answer instanceof SessionArchived) now[index]?.reject(answer);
			else now[index]?.resolve(answer);
		}
	} catch (error) {
		for (const { reject } of now) reject(error);
	}
}

/** A refused run has written nothing, and must not fail the others. */
function admitted(ledger: Ledger, admission: Admission): RunRecord | SessionArchived {
	try {
		return admitInTransaction(ledger, admission);
	} catch (error) {
		if (error instanceof SessionArchived) return error;
		throw error;
	}
}

/** Like `admitRun`, inside a transaction that does more. */
export function admitInTransaction(ledger: Ledger, admission: Admission): RunRecord {
	const { plan } = admission;
	// The session may have been archived since the plan was made: a child would start an empty session under the old name.
	if (findSession(ledger, plan.session.id)?.archivedAt !== undefined) throw new SessionArchived(plan.session.id);
	ledger.run(
		"UPDATE runs SET archive_at = NULL WHERE session_id = ? AND archive_at IS NOT NULL AND archived_at IS NULL",
		plan.session.id,
	);
	ledger.run(
		`INSERT INTO sessions (id, agent, cwd, file, definition, created_at) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET definition = excluded.definition`,
		plan.session.id,
		plan.agent,
		plan.cwd,
		plan.session.file,
		plan.definition.digest,
		admission.at,
	);
	const id = unusedRunId(ledger);
	ledger.run(
		`INSERT INTO runs (id, session_id, parent_session, tool_call, mode, agent, label, profile, own_run, lane_limit, plan,
			state, attempt, max_attempts, fence, created_at, usage, delivery)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0, ?, 0, ?, ?, 'none')`,
		id,
		plan.session.id,
		admission.parentSession,
		admission.toolCall ?? null,
		admission.mode,
		plan.agent,
		admission.label ?? null,
		admission.profile,
		plan.isolation === "process" ? id : null,
		admission.laneLimit,
		storedPlan(plan),
		plan.maxAttempts,
		admission.at,
		JSON.stringify(admission.usage ?? NO_USAGE),
	);
	const record = findRun(ledger, id);
	if (!record) throw new Error(`Run ${id} is not in the ledger right after it was written.`);
	return record;
}

/** How many runs may run at once, as configured where this one was admitted. */
export function laneLimitOf(ledger: Ledger, id: RunId): number {
	return ledger.get<{ lane_limit: number }>("SELECT lane_limit FROM runs WHERE id = ?", id)?.lane_limit ?? 1;
}

/** The session to be continued was archived. Expected: the request is refused. */
export class SessionArchived extends Error {
	override name = "SessionArchived";
	constructor(id: SessionId) {
		super(`Session ${id} is archived and cannot be continued.`);
	}
}

/** Eight hex characters are few enough to collide among many runs. */
function unusedRunId(ledger: Ledger): RunId {
	for (;;) {
		const id = newRunId();
		if (!ledger.get("SELECT 1 FROM runs WHERE id = ?", id)) return id;
	}
}
