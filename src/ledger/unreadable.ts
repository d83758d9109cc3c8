import type { LaunchPlan } from "../plan/plan.ts";
import { storedPlan } from "../plan/stored-plan.ts";
import { isRunId, isSessionId, newRunId, newSessionId, type SessionId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import type { Outcome } from "../run/outcome.ts";
import { ours } from "../run/redacted.ts";
import { storedOutcome } from "../run/stored-outcome.ts";
import { readUsage } from "../run/stored-usage.ts";
import { NO_USAGE, type Usage } from "../run/usage.ts";
import { closeAttempts } from "./attempts.ts";
import type { Ledger } from "./ledger.ts";
import { closeQuestionsInTransaction } from "./open-questions.ts";
import { checkRow, parsedJson, type RawRow, type UnreadableRun } from "./row-check.ts";

/** What is wrong with the row of a run; undefined if there is no row, or it can be read. */
export function findUnreadable(ledger: Ledger, id: string): UnreadableRun | undefined {
	const row = ledger.get<RawRow>("SELECT * FROM runs WHERE id IS ?", id);
	return row && toUnreadable(row);
}

/** All rows that cannot be read. Reads every row, so only for examining the ledger. */
export function unreadableRuns(ledger: Ledger): UnreadableRun[] {
	const rows = ledger.all<{ seq: number }>("SELECT seq FROM runs");
	// One by one: all plans at once may be more than fits into memory.
	return rows.flatMap(({ seq }) => {
		const row = ledger.get<RawRow>("SELECT * FROM runs WHERE seq = ?", seq);
		return (row && toUnreadable(row)) ?? [];
	});
}

function toUnreadable(row: RawRow): UnreadableRun | undefined {
	const checked = checkRow(row);
	return "problem" in checked ? { seq: Number(row.seq), id: String(row.id), ...checked } : undefined;
}

/**
 * Ends a run whose row cannot be read, so that it blocks neither its session, nor the lane, nor its host, nor the calls
 * that wait for it. The row becomes a readable one of a run that failed for this reason, and its outcome is owed to the
 * session that asked. The old content is kept in its plan, as `damagedRow`. A readable row stays as it is, and so does
 * one that a newer pi-geon wrote: the newer pi-geon can still end that run properly.
 */
export function closeUnreadableInTransaction(ledger: Ledger, id: string, how: { at: number; outcome?: Outcome }): void {
	close(ledger, ledger.get<RawRow>("SELECT * FROM runs WHERE id IS ?", id), how);
}

function close(ledger: Ledger, row: RawRow | undefined, how: { at: number; outcome?: Outcome }): void {
	const found = row && toUnreadable(row);
	if (!row || !found) return;
	ledger.foundUnreadable(found);
	if (found.isNewer) return;
	const { at } = how;
	const usage = usageIn(row.usage);
	const outcome = how.outcome ?? lostOutcome(ledger, found, usage);
	const isSettled = row.state === "ended" && (row.delivery === "delivered" || row.delivery === "skipped");
	const sessionId = asText(row.session_id);
	const plan = { ...placeholderPlan(row, sessionId as SessionId, ledger), damagedRow: row };
	closeAttempts(ledger, asText(row.id), { at, cause: outcome.cause });
	closeQuestionsInTransaction(ledger, asText(row.id), at);
	ledger.run(
		`UPDATE runs SET id = ?, session_id = ?, parent_session = ?, tool_call = ?, mode = ?, agent = ?, label = ?, profile = ?,
			own_run = NULL, lane_limit = 1, state = 'ended', attempt = ?, max_attempts = ?, hops = NULL, away = NULL, fence = ?, host_id = NULL, lease_until = NULL,
			stop_at = NULL, stop_by = NULL, stop_command = NULL, created_at = ?, started_at = ?, ended_at = ?, delivery = ?, delivered_at = ?,
			deliverer = NULL, deliverer_until = NULL, stop_hook = NULL, archive_at = ?, archived_at = ?, usage = ?, plan = ?, outcome = ?, partial = NULL
			WHERE seq = ?`,
		isRunId(asText(row.id)) ? asText(row.id) : newRunId(),
		sessionOf(ledger, sessionId, plan, at),
		asText(row.parent_session),
		asTextOrNull(row.tool_call),
		row.mode === "foreground" ? "foreground" : "background",
		plan.agent,
		asTextOrNull(row.label),
		asText(row.profile) || "unknown",
		asCount(row.attempt),
		Math.max(1, asCount(row.attempt)),
		asCount(row.fence) + 1,
		asMoment(row.created_at) ?? at,
		asMoment(row.started_at) ?? null,
		asMoment(row.ended_at) ?? at,
		isSettled ? String(row.delivery) : "owed",
		isSettled ? (asMoment(row.delivered_at) ?? at) : null,
		isSettled ? (asMoment(row.archive_at) ?? null) : null,
		isSettled ? (asMoment(row.archived_at) ?? null) : null,
		JSON.stringify(usage),
		storedPlan(plan),
		storedOutcome(outcome),
		found.seq,
	);
}

/** Like `closeUnreadableInTransaction`, in a transaction of its own. */
export function closeUnreadable(ledger: Ledger, id: string, at: number): void {
	ledger.transaction("full", () => closeUnreadableInTransaction(ledger, id, { at }));
}

/** Like `closeUnreadable`, for a row whose id cannot be read either. */
export function closeUnreadableRow(ledger: Ledger, { seq }: UnreadableRun, at: number): void {
	ledger.transaction("full", () => close(ledger, ledger.get<RawRow>("SELECT * FROM runs WHERE seq = ?", seq), { at }));
}

/** The message about an unreadable run. */
export const unreadableMessage = (ledger: Ledger, { id, problem, isNewer }: Omit<UnreadableRun, "seq">): string =>
	`The record of run ${id} in ${ledger.file} cannot be read: ${problem}. ` +
	(isNewer ? UPDATE : "How the run ended is unknown.");

export const UPDATE = "Nothing is lost: update pi-geon in this pi installation, and restart pi.";
export const HOW_TO_CLOSE =
	"`pi-geon doctor --fix` closes it: it is then listed as failed, and the content of its row is kept.";

const lostOutcome = (ledger: Ledger, found: UnreadableRun, usage: Usage): Outcome => ({
	status: "error",
	cause: "unreadable",
	exitCode: 1,
	error: {
		code: "SUBAGENT_FAILED",
		message: ledger.redact(unreadableMessage(ledger, found)),
		reason: ours`unreadable`,
	},
	usage,
	displayItems: [],
	attempts: 1,
	warnings: [],
});

/** A row needs an existing session. A row without one gets a new session, which has no transcript. */
function sessionOf(ledger: Ledger, id: string, plan: LaunchPlan, at: number): string {
	if (ledger.get("SELECT 1 FROM sessions WHERE id = ?", id)) return plan.session.id;
	ledger.run(
		"INSERT OR IGNORE INTO sessions (id, agent, cwd, file, definition, created_at, archived_at) VALUES (?, ?, ?, ?, '', ?, ?)",
		plan.session.id,
		plan.agent,
		plan.cwd,
		plan.session.file,
		at,
		at,
	);
	return plan.session.id;
}

/** The known facts of the run, in the shape that readers expect. It is never run. */
function placeholderPlan(row: RawRow, named: SessionId, ledger: Ledger): LaunchPlan {
	const session = ledger.get<{ cwd: string; file: string }>("SELECT cwd, file FROM sessions WHERE id = ?", named);
	const id = isSessionId(named) ? named : newSessionId();
	return {
		agent: asText(row.agent) || "unknown",
		definition: { source: "user", file: "", digest: "" },
		task: "(its task cannot be read)",
		prompt: "",
		cwd: session?.cwd ?? "/",
		projectTrusted: false,
		tools: [],
		extensions: [],
		lspActions: [],
		model: { provider: "unknown", id: "unknown" },
		limits: { timeoutMs: 1, idleTimeoutMs: 1, toolTimeoutMs: 1, maxCorrections: 0, parentSession: {} },
		isolation: "shared",
		maxAttempts: 1,
		session: { id, file: session?.file ?? "/nowhere", resumed: false },
		principal: { id: "main" },
		afterwards: { cleanup: "keep", archiveAfterMinutes: 0, parentKept: true },
		warnings: [],
		...routeIn(row.plan),
	};
}

/** The report needs the application's route, even if other columns, or other parts of the plan, are damaged. */
function routeIn(stored: unknown): Pick<LaunchPlan, "route"> {
	const plan = parsedJson(stored);
	return isRecord(plan) && plan.route !== undefined ? { route: plan.route } : {};
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");
const asTextOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
const asCount = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);
const asMoment = (value: unknown): number | undefined =>
	Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 8.64e15 ? Number(value) : undefined;

/** Zero usage if it cannot be read. */
export const usageIn = (value: unknown): Usage => readUsage(value) ?? NO_USAGE;
