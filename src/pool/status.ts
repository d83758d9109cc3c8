import type { PoolStatus, PoolWorker } from "../run/pool-status.ts";
import type { Queries } from "./database.ts";
import { JOBS, queueOf } from "./schema.ts";

/** A worker that is silent for longer is dead: it was killed, or its machine is off. */
const GONE_AFTER_MS = 60_000;

export async function poolStatus(database: Queries, pool: string): Promise<PoolStatus> {
	// Count the jobs to get the busy places: a worker's own report is up to two seconds old.
	const workers = await database.query<PoolWorker>(
		`SELECT name, places, version, pi, draining, (extract(epoch FROM now() - seen_at) * 1000)::float8 AS "silentMs",
			(SELECT count(*)::int FROM ${JOBS} AS job JOIN pi_geon.progress ON progress.job = job.id
				WHERE job.name = $2 AND state = 'active' AND progress.worker = workers.name) AS busy
			FROM pi_geon.workers WHERE pool = $1 ORDER BY name`,
		[pool, queueOf(pool)],
	);
	const jobs = await database.query<{ name: string; waiting: number; running: number; longest: number | null }>(
		`SELECT coalesce(group_id, '') AS name, (count(*) FILTER (WHERE state < 'active'))::int AS waiting,
			(count(*) FILTER (WHERE state = 'active'))::int AS running,
			(extract(epoch FROM now() - min(created_on) FILTER (WHERE state < 'active')) * 1000)::float8 AS longest
			FROM ${JOBS} WHERE name = $1 AND state <= 'active' GROUP BY 1 ORDER BY 1`,
		[queueOf(pool)],
	);
	const lane = await database.query<PoolStatus["limits"]>(
		'SELECT total, per_requester AS "perRequester" FROM pi_geon.lanes WHERE pool = $1',
		[pool],
	);
	const waits = jobs.rows.flatMap(({ longest }) => longest ?? []);
	return {
		workers: workers.rows.filter(({ silentMs }) => silentMs < GONE_AFTER_MS),
		waiting: jobs.rows.reduce((sum, { waiting }) => sum + waiting, 0),
		running: jobs.rows.reduce((sum, { running }) => sum + running, 0),
		...(waits.length > 0 && { longestWaitMs: Math.max(...waits) }),
		requesters: jobs.rows.map(({ name, waiting, running }) => ({ name, waiting, running })),
		limits: lane.rows[0] ?? { total: null, perRequester: null },
	};
}

/** Makes workers accept no new runs, and leave when they have none left. Returns how many of them are alive. */
export async function drainWorkers(database: Queries, pool: string, worker?: string): Promise<number> {
	const { rowCount } = await database.query(
		`UPDATE pi_geon.workers SET draining = true WHERE pool = $1 AND ($2::text IS NULL OR name = $2)
			AND seen_at > now() - $3::float8 * interval '1 millisecond'`,
		[pool, worker ?? null, GONE_AFTER_MS],
	);
	return rowCount ?? 0;
}

/** Removes the rows of workers that were killed. Other workers remove their own when they leave. */
export async function forgetDeadWorkers(database: Queries): Promise<void> {
	await database.query("DELETE FROM pi_geon.workers WHERE seen_at < now() - interval '1 day'");
}

/** Sets how many runs of a pool may run at once. Null: as many as there are places. */
export async function limitLane(database: Queries, pool: string, limits: PoolStatus["limits"]): Promise<void> {
	await database.query(
		`INSERT INTO pi_geon.lanes (pool, total, per_requester) VALUES ($1, $2, $3)
			ON CONFLICT (pool) DO UPDATE SET total = excluded.total, per_requester = excluded.per_requester`,
		[pool, limits.total, limits.perRequester],
	);
}
