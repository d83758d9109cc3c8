import type { LaunchPlan } from "../plan/plan.ts";
import { readPlan } from "../plan/stored-plan.ts";
import { type Hop, isHops } from "../run/hop.ts";
import { isRunId, isSessionId } from "../run/ids.ts";
import type { Outcome } from "../run/outcome.ts";
import { isUsage } from "../run/outcome-check.ts";
import { isStoredRedacted, readOutcome } from "../run/stored-outcome.ts";
import type { Usage } from "../run/usage.ts";
import { LAST_MOMENT } from "./session-files.ts";

/**
 * A row of `runs` as it is in the file: any value that the table allows, or that another program wrote despite the checks.
 */
export type RawRow = Readonly<Record<string, unknown>>;

/** A row that cannot be read as a run. */
export interface UnreadableRun {
	seq: number;
	/** The id as it is in the row. */
	id: string;
	/** Which column has an invalid value. */
	problem: string;
	/** The row is sound, and a newer pi-geon can read it: it is left as it is. */
	isNewer?: true;
}

type RowProblem = Pick<UnreadableRun, "problem" | "isNewer">;

/** The parts of a row that are JSON. */
export interface RowContent {
	plan: LaunchPlan;
	usage: Usage;
	hops: Hop[] | undefined;
	outcome: Outcome<string> | undefined;
	/** Whether all of the outcome was redacted before it was stored. */
	isRedacted: boolean;
}

/**
 * The JSON content of a row, or the problem that keeps the row from being read as a run. Every value that is read from a
 * row is checked here, so that later code never meets one that its type rules out: a row comes from a file, and may be
 * damaged.
 */
export function checkRow(row: RawRow): RowContent | RowProblem {
	const problem = columnProblem(row) ?? contradictionIn(row);
	if (problem !== undefined) return { problem };
	const plan = readPlan(parsedJson(row.plan));
	if (plan === "newer") return newer("plan");
	if (!plan) return { problem: "plan is not the JSON of a plan" };
	const usage = parsedJson(row.usage);
	if (!isUsage(usage)) return { problem: "usage is not the JSON of a usage" };
	const hops = row.hops === null ? undefined : parsedJson(row.hops);
	if (hops !== undefined && !isHops(hops)) return { problem: "hops is not the JSON of a list of hops" };
	if (row.outcome === null) return { plan, usage, hops, outcome: undefined, isRedacted: true };
	const stored = parsedJson(row.outcome);
	const outcome = readOutcome(stored);
	if (outcome === "newer") return newer("outcome");
	if (!outcome) return { problem: "outcome is not the JSON of an outcome" };
	return { plan, usage, hops, outcome, isRedacted: isStoredRedacted(stored) };
}

const newer = (column: string): RowProblem => ({ problem: `${column} was written by a newer pi-geon`, isNewer: true });

function columnProblem(row: RawRow): string | undefined {
	for (const [column, check] of COLUMNS) {
		const expected = check(row[column]);
		if (expected !== undefined) return `${column} is not ${expected}`;
	}
	return undefined;
}

function contradictionIn(row: RawRow): string | undefined {
	if (Number(row.attempt) > Number(row.max_attempts)) return "attempt is more than max_attempts";
	for (const column of NEEDED[String(row.state)] ?? []) {
		if (row[column] === null) return `${column} is missing, though the run is ${row.state}`;
	}
	if (row.state === "ended" && row.delivery === "none") return "delivery is none, though the run is ended";
	const isSettled = row.delivery === "delivered" || row.delivery === "skipped";
	return isSettled && row.delivered_at === null ? "delivered_at is missing, though its outcome is settled" : undefined;
}

const NEEDED: Readonly<Record<string, readonly string[]>> = {
	running: ["host_id", "lease_until", "started_at"],
	ended: ["ended_at", "outcome"],
};

/** What the value should have been; undefined if it is valid. */
type ColumnCheck = (value: unknown) => string | undefined;

const expect =
	(what: string, fits: (value: unknown) => boolean): ColumnCheck =>
	(value) =>
		fits(value) ? undefined : what;
const orEmpty =
	(check: ColumnCheck): ColumnCheck =>
	(value) =>
		value === null ? undefined : check(value);

const isString = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown, least = 0): boolean => Number.isSafeInteger(value) && (value as number) >= least;

const aText = expect("text", isString);
const name = expect("a name", (value) => isString(value) && value !== "");
const aCount = expect("a count", isCount);
const moment = expect("a time", (value) => isCount(value) && (value as number) <= LAST_MOMENT);
/** Tests have leases that never end, so no date is made of them. */
const lease = expect("a time", isCount);
const oneOfThese = (...values: string[]) =>
	expect(`one of ${values.join(", ")}`, (value) => values.includes(String(value)));

/** More than any configuration allows. */
const MOST_ATTEMPTS = 1000;

const COLUMNS: readonly [string, ColumnCheck][] = Object.entries({
	seq: aCount,
	id: expect("a run id", (value) => isString(value) && isRunId(value)),
	session_id: expect("a session id", (value) => isString(value) && isSessionId(value)),
	parent_session: aText,
	tool_call: orEmpty(aText),
	mode: oneOfThese("foreground", "background"),
	agent: aText,
	label: orEmpty(aText),
	profile: name,
	own_run: orEmpty(name),
	lane_limit: expect("a number of places", (value) => isCount(value, 1)),
	state: oneOfThese("queued", "running", "ended"),
	attempt: aCount,
	max_attempts: expect(
		`a number from 1 to ${MOST_ATTEMPTS}`,
		(value) => isCount(value, 1) && Number(value) <= MOST_ATTEMPTS,
	),
	hops: orEmpty(aText),
	away: orEmpty(aText),
	fence: aCount,
	host_id: orEmpty(aText),
	lease_until: orEmpty(lease),
	stop_at: orEmpty(moment),
	stop_by: orEmpty(aText),
	stop_command: orEmpty(aText),
	created_at: moment,
	started_at: orEmpty(moment),
	ended_at: orEmpty(moment),
	delivery: oneOfThese("none", "owed", "delivered", "skipped"),
	delivered_at: orEmpty(moment),
	deliverer: orEmpty(aText),
	deliverer_until: orEmpty(lease),
	stop_hook: orEmpty(oneOfThese("owed", "begun", "done")),
	archive_at: orEmpty(moment),
	archived_at: orEmpty(moment),
	usage: aText,
	plan: aText,
	outcome: orEmpty(aText),
	partial: orEmpty(aText),
});

/** Undefined if it is not JSON. */
export function parsedJson(value: unknown): unknown {
	if (!isString(value)) return undefined;
	try {
		return JSON.parse(value);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/**
 * Whether SQLite's own check complains about single rows, and not about the file: such rows are skipped and reported one by
 * one.
 */
export const isAboutRows = (problem: string): boolean =>
	/^(CHECK constraint failed in |NULL value in |non-\w+ value in |\w+ value in )/.test(problem);
