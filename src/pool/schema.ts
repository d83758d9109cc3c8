/** The schema of pg-boss's tables: separate, because a team's own pg-boss may have another version. */
export const QUEUE_SCHEMA = "pi_geon_queue";

export const JOBS = `${QUEUE_SCHEMA}.job`;

/** The name of a pool's queue. */
export const queueOf = (pool: string): string => `pool-${pool}`;

/** The channels for hints. Only rows count: if a hint is lost, the next poll finds the row. */
export const CHANNELS = { toWorkers: "pi_geon_to_workers", toRequesters: "pi_geon_to_requesters" } as const;

/**
 * Our tables beside pg-boss's. They use text instead of JSON, because PostgreSQL's JSON cannot contain U+0000, but what a
 * child says can.
 *
 * - orders: what a worker should do, as the requester wrote it.
 * - lines: the session file, line by line. Those with the attempt -1 were there before.
 * - messages: to the child, and stop requests.
 * - progress: which worker has the job, since when, and how far it is.
 * - bundles: the repository on its way out, changes on their way home.
 * - outcomes: how the run ended, written in the transaction that ends the job.
 * - workers: the processes that take runs. A row that is not renewed belongs to a dead worker.
 * - lanes: how many runs of a pool may run at once. Null: as many as there are places.
 */
export const TABLES = `
	CREATE SCHEMA IF NOT EXISTS pi_geon;
	CREATE TABLE IF NOT EXISTS pi_geon.orders (
		job uuid PRIMARY KEY, body text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
	CREATE TABLE IF NOT EXISTS pi_geon.lines (
		job uuid NOT NULL, n int NOT NULL, attempt int NOT NULL, body text NOT NULL, PRIMARY KEY (job, n));
	CREATE TABLE IF NOT EXISTS pi_geon.messages (
		job uuid NOT NULL, kind text NOT NULL CHECK (kind IN ('message', 'stop')), seq bigint NOT NULL, body text NOT NULL,
		sender text, taken boolean NOT NULL DEFAULT false, PRIMARY KEY (job, kind, seq));
	CREATE TABLE IF NOT EXISTS pi_geon.progress (
		job uuid PRIMARY KEY, attempt int NOT NULL, worker text NOT NULL, claimed_at timestamptz NOT NULL,
		first_claimed_at timestamptz NOT NULL, body text);
	CREATE TABLE IF NOT EXISTS pi_geon.bundles (
		job uuid NOT NULL, way text NOT NULL CHECK (way IN ('out', 'home')), body bytea NOT NULL, PRIMARY KEY (job, way));
	CREATE TABLE IF NOT EXISTS pi_geon.outcomes (
		job uuid PRIMARY KEY, attempt int NOT NULL, worker text NOT NULL, body text NOT NULL);
	CREATE TABLE IF NOT EXISTS pi_geon.workers (
		pool text NOT NULL, name text NOT NULL, places int NOT NULL, version text NOT NULL, pi text NOT NULL,
		since timestamptz NOT NULL DEFAULT now(), seen_at timestamptz NOT NULL DEFAULT now(),
		draining boolean NOT NULL DEFAULT false, PRIMARY KEY (pool, name));
	CREATE TABLE IF NOT EXISTS pi_geon.lanes (pool text PRIMARY KEY, total int, per_requester int);
`;

/** The tables with rows about a job. */
const OF_JOBS = ["lines", "messages", "progress", "bundles", "outcomes", "orders"] as const;

/** Removes all rows about a job. */
export const forgetJob: readonly string[] = [
	...OF_JOBS.map((table) => `DELETE FROM pi_geon.${table} WHERE job = $1`),
	`DELETE FROM ${JOBS} WHERE id = $1 AND state > 'active'`,
];

/** How long an ended job waits for its requester to fetch the outcome. */
export const KEPT_DAYS = 30;

/** Removes the rows of jobs that pg-boss has removed because no requester fetched their outcome in time. */
export const forgetOldJobs: readonly string[] = OF_JOBS.map(
	(table) => `DELETE FROM pi_geon.${table} WHERE job IN (SELECT job FROM pi_geon.orders
		WHERE created_at < now() - interval '${KEPT_DAYS + 1} days' AND NOT EXISTS (SELECT 1 FROM ${JOBS} WHERE id = orders.job))`,
);
