import type { LaunchPlan } from "../plan/plan.ts";
import type { HostId, RunId, SessionId } from "../run/ids.ts";
import { type Redacted, redactedBefore } from "../run/redacted.ts";
import type { EndedRun, Run, StopRequest } from "../run/run.ts";
import { storedOutcome } from "../run/stored-outcome.ts";
import { redactOwnParts } from "../run/unredacted-parts.ts";
import type { Usage } from "../run/usage.ts";
import { type Away, readAway } from "./away.ts";
import type { Ledger } from "./ledger.ts";
import { type ProfileColumns, type ProfileKey, toProfile } from "./profile-key.ts";
import { checkRow, type RawRow, type RowContent } from "./row-check.ts";
import { closeUnreadable, findUnreadable } from "./unreadable.ts";

export type RunMode = "foreground" | "background";

/** A run with everything the ledger knows about it. */
export interface RunRecord {
	run: Run;
	/** Order of admission. */
	seq: number;
	sessionId: SessionId;
	/** The pi session that asked. */
	parentSession: string;
	toolCall?: string;
	mode: RunMode;
	label?: string;
	profile: ProfileKey;
	plan: LaunchPlan;
	/** Counted while it works, so that a budget survives the host. */
	usage: Usage;
	/** Where a run of a pool is, once that is known. */
	away?: Away;
	/** The last thing the child said: the evidence that remains if its host dies. */
	partial?: Redacted;
	createdAt: number;
}

/** A run that has an outcome. */
export type EndedRecord = RunRecord & { run: EndedRun };

interface RunRow extends ProfileColumns {
	seq: number;
	id: RunId;
	session_id: SessionId;
	parent_session: string;
	tool_call: string | null;
	mode: RunMode;
	label: string | null;
	plan: string;
	state: Run["state"];
	attempt: number;
	max_attempts: number;
	hops: string | null;
	fence: number;
	host_id: HostId | null;
	lease_until: number | null;
	stop_at: number | null;
	stop_by: string | null;
	stop_command: string | null;
	created_at: number;
	started_at: number | null;
	ended_at: number | null;
	usage: string;
	partial: string | null;
	away: string | null;
	outcome: string | null;
	delivery: "none" | "owed" | "delivered" | "skipped";
	delivered_at: number | null;
	archived_at: number | null;
}

/** Undefined if there is no such run, or its row cannot be read; `findUnreadable` tells which. */
export function findRun(ledger: Ledger, id: RunId): RunRecord | undefined {
	const row = ledger.get<RunRow>("SELECT * FROM runs WHERE id = ?", id);
	return row && readable(ledger, row);
}

/** The same for callers that need an answer: a run whose row cannot be read is ended first, which makes it readable. */
export function findRunOrClose(ledger: Ledger, id: RunId, at: number): RunRecord | undefined {
	const record = findRun(ledger, id);
	if (record || !findUnreadable(ledger, id)) return record;
	closeUnreadable(ledger, id, at);
	return findRun(ledger, id);
}

/** Every query for runs goes through here, so that rows are read in one way only. Leaves unreadable rows out. */
export function selectRuns(ledger: Ledger, condition: string, ...values: (string | number)[]): RunRecord[] {
	const rows = ledger.all<RunRow>(`SELECT * FROM runs WHERE ${condition}`, ...values);
	return rows.flatMap((row) => readable(ledger, row) ?? []);
}

/** Undefined if the row cannot be read, which is reported to the process that opened the ledger. */
function readable(ledger: Ledger, row: RunRow): RunRecord | undefined {
	const checked = checkRow(row as unknown as RawRow);
	if (!("problem" in checked)) return toRecord(row, checked, ledger.redact);
	ledger.foundUnreadable({ seq: row.seq, id: row.id, ...checked });
	return undefined;
}

/** Stores what `transition()` made of a run. */
export function storeRun(ledger: Ledger, run: Run): void {
	ledger.run(
		`UPDATE runs SET state = ?, attempt = ?, max_attempts = ?, hops = ?, fence = ?, host_id = ?, lease_until = ?, stop_at = ?, stop_by = ?, stop_command = ?,
			started_at = ?, ended_at = ?, outcome = ?, delivery = ?, delivered_at = ?, archived_at = ? WHERE id = ?`,
		run.state,
		run.attempt,
		run.maxAttempts,
		run.hops ? JSON.stringify(run.hops) : null,
		run.fence,
		run.state === "running" ? run.hostId : null,
		run.state === "running" ? run.leaseUntil : null,
		run.stop?.at ?? null,
		run.stop?.by ?? null,
		run.stop?.command ?? null,
		run.startedAt ?? null,
		run.state === "ended" ? run.endedAt : null,
		run.state === "ended" ? storedOutcome(run.outcome) : null,
		run.state === "ended" ? run.delivery.state : "none",
		run.state === "ended" && run.delivery.state !== "owed" ? run.delivery.at : null,
		run.state === "ended" ? (run.archivedAt ?? null) : null,
		run.id,
	);
}

function toRecord(row: RunRow, content: RowContent, redact: Ledger["redact"]): RunRecord {
	return {
		run: toRun(row, content, redact),
		seq: row.seq,
		sessionId: row.session_id,
		parentSession: row.parent_session,
		...(row.tool_call !== null && { toolCall: row.tool_call }),
		mode: row.mode,
		...(row.label !== null && { label: row.label }),
		profile: toProfile(row),
		plan: content.plan,
		usage: content.usage,
		// Hosts redact the child's text before they record it.
		...(row.partial !== null && { partial: redactedBefore(row.partial) }),
		...awayIn(row.away),
		createdAt: row.created_at,
	};
}

function awayIn(stored: string | null): { away?: Away } {
	const away = readAway(stored);
	return away ? { away } : {};
}

const stopIn = ({ stop_by: by, stop_command: command }: RunRow, at: number): StopRequest => ({
	at,
	by: by ?? "",
	...(command !== null && { command }),
});

function toRun(row: RunRow, { outcome, isRedacted, hops }: RowContent, redact: Ledger["redact"]): Run {
	const facts = {
		id: row.id,
		attempt: row.attempt,
		maxAttempts: row.max_attempts,
		fence: row.fence,
		...(hops && { hops }),
		...(row.stop_at !== null && { stop: stopIn(row, row.stop_at) }),
		...(row.started_at !== null && { startedAt: row.started_at }),
	};
	if (row.state === "queued") return { ...facts, state: "queued" };
	if (row.state === "running") {
		if (row.host_id === null || row.lease_until === null || row.started_at === null) throw notChecked(row);
		const { host_id: hostId, lease_until: leaseUntil, started_at: startedAt } = row;
		return { ...facts, state: "running", hostId, leaseUntil, startedAt };
	}
	if (row.ended_at === null || outcome === undefined || row.delivery === "none") throw notChecked(row);
	return {
		...facts,
		state: "ended",
		endedAt: row.ended_at,
		outcome: isRedacted ? redactedBefore(outcome) : redactOwnParts(outcome, redact),
		delivery: row.delivery === "owed" ? { state: "owed" } : { state: row.delivery, at: row.delivered_at ?? 0 },
		...(row.archived_at !== null && { archivedAt: row.archived_at }),
	};
}

const notChecked = (row: RunRow): Error => new Error(`The row of run ${row.id} was not checked before it was read.`);
