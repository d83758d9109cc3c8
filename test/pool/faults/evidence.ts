import { existsSync, readFileSync } from "node:fs";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { JOBS } from "../../../src/pool/schema.ts";
import type { Outcome } from "../../../src/run/outcome.ts";
import type { Entry } from "./task.ts";

/** Keeps what happens in the database, also after the product has removed its rows. */
export const DATABASE_AUDIT = `
	CREATE SCHEMA faults;
	CREATE TABLE faults.jobs (seq bigserial, at float8, job uuid, state text, attempt int);
	CREATE TABLE faults.writes (seq bigserial, at float8, job uuid, what text, n int, attempt int, current int);
	CREATE TABLE faults.claims (seq bigserial, at float8, job uuid, worker text, attempt int);
	CREATE TABLE faults.stops (seq bigserial, at float8, job uuid);
	CREATE TABLE faults.serving (seq bigserial, at float8, worker text, places int);
	CREATE FUNCTION faults.ms() RETURNS float8 LANGUAGE sql AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8';
	CREATE FUNCTION faults.job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO faults.jobs (at, job, state, attempt) VALUES (faults.ms(), NEW.id, NEW.state::text, NEW.retry_count);
		RETURN NULL; END $$;
	CREATE TRIGGER faults_new AFTER INSERT ON ${JOBS} FOR EACH ROW EXECUTE FUNCTION faults.job();
	CREATE TRIGGER faults_job AFTER UPDATE ON ${JOBS} FOR EACH ROW
		WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION faults.job();
	CREATE FUNCTION faults.line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO faults.writes (at, job, what, n, attempt, current)
			SELECT faults.ms(), NEW.job, CASE WHEN NEW.body LIKE '% step %' THEN 'step' ELSE 'line' END, NEW.n, NEW.attempt, retry_count FROM ${JOBS} WHERE id = NEW.job;
		RETURN NULL; END $$;
	CREATE TRIGGER faults_line AFTER INSERT OR UPDATE ON pi_geon.lines FOR EACH ROW EXECUTE FUNCTION faults.line();
	CREATE FUNCTION faults.outcome() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO faults.writes (at, job, what, n, attempt, current)
			SELECT faults.ms(), NEW.job, 'outcome', 0, NEW.attempt, retry_count FROM ${JOBS} WHERE id = NEW.job;
		RETURN NULL; END $$;
	CREATE TRIGGER faults_outcome AFTER INSERT OR UPDATE ON pi_geon.outcomes FOR EACH ROW EXECUTE FUNCTION faults.outcome();
	CREATE FUNCTION faults.claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO faults.claims (at, job, worker, attempt) VALUES (faults.ms(), NEW.job, NEW.worker, NEW.attempt);
		RETURN NULL; END $$;
	CREATE TRIGGER faults_claim AFTER INSERT OR UPDATE OF claimed_at ON pi_geon.progress
		FOR EACH ROW EXECUTE FUNCTION faults.claim();
	CREATE FUNCTION faults.serving() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO faults.serving (at, worker, places) VALUES (faults.ms(), NEW.name, NEW.places); RETURN NULL; END $$;
	CREATE TRIGGER faults_serving AFTER INSERT ON pi_geon.workers FOR EACH ROW EXECUTE FUNCTION faults.serving();
	CREATE FUNCTION faults.stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO faults.stops (at, job) VALUES (faults.ms(), NEW.job); RETURN NULL; END $$;
	CREATE TRIGGER faults_stop AFTER INSERT ON pi_geon.messages FOR EACH ROW
		WHEN (NEW.kind = 'stop') EXECUTE FUNCTION faults.stop();
`;

/** The same for the ledger of the machine that asks. A trigger before an insert sees those that come to nothing, too. */
export function auditLedger(ledger: Ledger): void {
	ledger.run("CREATE TABLE faults_audit (run_id TEXT, what TEXT)");
	ledger.run(`CREATE TRIGGER faults_ended AFTER UPDATE OF state ON runs WHEN new.state = 'ended' AND old.state <> 'ended'
		BEGIN INSERT INTO faults_audit VALUES (new.id, 'ended'); END`);
	ledger.run(`CREATE TRIGGER faults_changes BEFORE INSERT ON changes
		BEGIN INSERT INTO faults_audit VALUES (new.run_id, 'changes'); END`);
}

export interface RunEvidence {
	id: string;
	job: string;
	task: string;
	state: string;
	delivery: string;
	outcome: Outcome<string> | undefined;
	/** How often the ledger says that it ended, and that its changes came home. */
	ended: number;
	changes: number;
	/** What the transcript of the parent holds of it. */
	announced: number;
	/** From its admission to its end. */
	tookMs: number;
	/** Its session file on the machine that asks. */
	entries: Entry[];
}

export interface DatabaseEvidence {
	jobs: { at: number; job: string; state: string; attempt: number }[];
	writes: { at: number; job: string; what: string; n: number; attempt: number; current: number }[];
	claims: { at: number; job: string; worker: string; attempt: number }[];
	stops: { at: number; job: string }[];
	/** When a worker was first heard of. */
	serving: { at: number; worker: string; places: number }[];
	/** Jobs that nobody has finished. */
	open: string[];
}

export interface CallEvidence {
	what: "begin" | "step";
	name: string;
	step: number;
	/** The worker and the job. */
	by: string;
	at: number;
}

export interface PoolEvidence {
	runs: RunEvidence[];
	database: DatabaseEvidence;
	calls: CallEvidence[];
	messages: { body: string; runId: string }[];
	/** Runs that somebody asked to stop. */
	stopped: ReadonlySet<string>;
	laneLimit: number;
	/** What was found that should be gone. */
	left: string[];
}

export const linesOf = <T>(file: string): T[] =>
	existsSync(file)
		? readFileSync(file, "utf8")
				.split("\n")
				.filter(Boolean)
				.map((line) => JSON.parse(line) as T)
		: [];
