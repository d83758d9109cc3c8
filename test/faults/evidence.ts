import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Hop } from "../../src/run/hop.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import type { Home } from "../helpers/home.ts";
import { openLedgerFile } from "../helpers/ledger-file.ts";
import type { RecordedRequest } from "../helpers/model-request.ts";
import { type Move, readAudit } from "./audit.ts";
import { currentTask } from "./child-model.ts";
import {
	type LoggedAppend,
	type LoggedFault,
	type LoggedProcess,
	readAppends,
	readFaults,
	readProcesses,
} from "./fault-log.ts";
import type { WorkloadPlan } from "./plan.ts";

/** Everything that is left of a workload: what the checker judges by. */
export interface Evidence {
	laneLimit: number;
	runs: RunRow[];
	moves: Move[];
	messages: MessageRow[];
	attempts: AttemptRow[];
	questions: QuestionRow[];
	/** When questions were put before a user, where that is known. */
	shown?: { seq: number; pid: number; at: number }[];
	transcripts: Transcript[];
	requests: ChildRequest[];
	/** The longest that the model server, busy with other things, may have taken to notice anything. */
	lagMs: number;
	appends: LoggedAppend[];
	faults: LoggedFault[];
	processes: LoggedProcess[];
	/** Session files could not be written for a while: a run may fail of it, and pi continues after an entry that it could not write. */
	diskWasFull?: boolean;
	/** The ledger could not be opened or written for a while. */
	ledgerWasInTrouble?: boolean;
	/** The machine itself was in trouble for a while. */
	wasInTrouble?: boolean;
	/** What SQLite says about the file; empty if it is in order. */
	damage: string[];
	/** What did not come home in time, or was left behind. */
	troubles: string[];
}

export interface RunRow {
	id: string;
	sessionId: string;
	parentSession: string;
	mode: "foreground" | "background";
	toolCall: string | null;
	task: string;
	sessionFile: string;
	maxTurns: number | null;
	state: string;
	attempt: number;
	maxAttempts: number;
	hops: Hop[];
	stopAt: number | null;
	createdAt: number;
	delivery: string;
	outcome: Outcome | undefined;
}

export interface MessageRow {
	seq: number;
	runId: string;
	body: string;
	takenAt: number | null;
}

export interface AttemptRow {
	runId: string;
	number: number;
	endedAt: number | null;
	cause: string | null;
}

export interface QuestionRow {
	seq: number;
	runId: string;
	question: string;
	state: string;
	declined: string | null;
	/** When it changed from open to something else, or from that. */
	ends: number[];
}

export interface Transcript {
	file: string;
	/** Of the header. */
	sessionId: string;
	whose: "parent" | "child";
	entries: Entry[];
}

/** As much of pi's session entries as is looked at. */
export interface Entry {
	type: string;
	id: string;
	parentId: string | null;
	timestamp: string;
	customType?: string;
	data?: { runId?: string };
	details?: { announceId?: string; seq?: number; runId?: string };
	message?: {
		role: string;
		toolName?: string;
		stopReason?: string;
		model?: string;
		details?: {
			runId?: string;
			status?: string;
			results?: { exitCode?: number }[];
			seq?: number;
			answered?: boolean;
			answer?: string;
		};
		content?: string | { type: string; name?: string; text?: string; arguments?: Record<string, unknown> }[];
	};
}

export interface ChildRequest {
	pid: number;
	task: string;
	/** Milliseconds since 1970. */
	startedAt: number;
	endedAt: number;
}

export interface Scene {
	home: Home;
	plan: WorkloadPlan;
	folder: string;
	troubles: string[];
	lagMs: number;
}

export function gatherEvidence({ home, plan, folder, troubles, lagMs }: Scene): Evidence {
	const faults = readFaults(folder);
	const wasIn = (...kinds: LoggedFault["kind"][]) => faults.some(({ kind }) => kinds.includes(kind));
	return {
		laneLimit: plan.laneLimit,
		lagMs,
		...readLedger(join(home.agentDir, "pi-geon", "ledger.sqlite")),
		transcripts: [
			...readTranscripts(join(home.home, "parents"), "parent"),
			...readTranscripts(join(home.home, ".pi", "subagent-sessions"), "child"),
		],
		requests: home.model.requests.filter(({ isChild }) => isChild).map(childRequest),
		appends: readAppends(folder),
		faults,
		diskWasFull: wasIn("disk full", "sessions forbidden"),
		ledgerWasInTrouble: wasIn("disk full", "state forbidden", "ledger locked"),
		processes: readProcesses(folder),
		troubles,
	};
}

function readLedger(file: string): Pick<Evidence, "runs" | "moves" | "messages" | "attempts" | "questions" | "damage"> {
	const database = openLedgerFile(file);
	try {
		// Nobody else is there any more: a lock that is still held was left behind.
		database.exec("BEGIN EXCLUSIVE");
		database.exec("COMMIT");
		const integrity = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
		const dangling = database.prepare("PRAGMA foreign_key_check").all();
		return {
			...readRuns(database),
			moves: readAudit(database),
			damage: [
				...integrity.map(({ integrity_check }) => integrity_check).filter((said) => said !== "ok"),
				...dangling.map((row) => `foreign key: ${JSON.stringify(row)}`),
			],
		};
	} finally {
		database.close();
	}
}

/** What the ledger holds of runs and messages. */
export const readRuns = (database: DatabaseSync): Pick<Evidence, "runs" | "messages" | "attempts" | "questions"> => ({
	runs: database.prepare(RUNS).all().map(runRow),
	messages: database.prepare(MESSAGES).all() as unknown as MessageRow[],
	attempts: database.prepare(ATTEMPTS).all() as unknown as AttemptRow[],
	questions: database.prepare(QUESTIONS).all().map(questionRow),
});

const RUNS = `SELECT id, session_id AS sessionId, parent_session AS parentSession, mode, tool_call AS toolCall,
	json_extract(plan, '$.task') AS task, json_extract(plan, '$.session.file') AS sessionFile,
	json_extract(plan, '$.limits.maxTurns') AS maxTurns, state, attempt, max_attempts AS maxAttempts, hops, stop_at AS stopAt,
	created_at AS createdAt, delivery, outcome FROM runs ORDER BY seq`;

const ATTEMPTS = "SELECT run_id AS runId, number, ended_at AS endedAt, cause FROM attempts ORDER BY run_id, number";

const MESSAGES = "SELECT seq, run_id AS runId, body, taken_at AS takenAt FROM inbox ORDER BY seq";

const QUESTIONS = `SELECT seq, run_id AS runId, question ->> '$.question' AS question, state, declined,
	(SELECT json_group_array(at) FROM audit_of_questions WHERE question = seq) AS ends FROM questions ORDER BY seq`;

function questionRow(row: object): QuestionRow {
	const { ends, ...facts } = row as Omit<QuestionRow, "ends"> & { ends: string };
	return { ...facts, ends: JSON.parse(ends) as number[] };
}

function runRow(row: object): RunRow {
	const { outcome, hops, ...facts } = row as Omit<RunRow, "outcome" | "hops"> & {
		outcome: string | null;
		hops: string | null;
	};
	return {
		...facts,
		hops: hops === null ? [] : (JSON.parse(hops) as Hop[]),
		outcome: outcome === null ? undefined : (JSON.parse(outcome) as Outcome),
	};
}

function readTranscripts(folder: string, whose: Transcript["whose"]): Transcript[] {
	if (!existsSync(folder)) return [];
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
	return names.filter((name) => name.endsWith(".jsonl")).map((name) => readTranscript(join(folder, name), whose));
}

/** A torn line is passed over, as pi does. */
function readTranscript(file: string, whose: Transcript["whose"]): Transcript {
	const [header, ...entries] = readFileSync(file, "utf8")
		.split("\n")
		.flatMap((line): Entry[] => {
			try {
				return [JSON.parse(line) as Entry];
			} catch (error) {
				if (error instanceof SyntaxError) return [];
				throw error;
			}
		});
	return { file, whose, sessionId: header?.id ?? "", entries };
}

function childRequest(request: RecordedRequest): ChildRequest {
	const { startedAt, endedAt = Number.POSITIVE_INFINITY } = request;
	return {
		pid: Number(request.header("x-fault-pid")),
		task: currentTask(request).task.name,
		startedAt: performance.timeOrigin + startedAt,
		endedAt: performance.timeOrigin + endedAt,
	};
}
