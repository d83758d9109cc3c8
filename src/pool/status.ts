import type { PoolDatabase } from "./database.ts";
import { JOBS } from "./schema.ts";

export interface PoolWorker {
	name: string;
	places: number;
	busy: number;
	version: string;
	pi: string;
	draining: boolean;
	/** How long ago it was last heard of, by the database's clock. */
	silentMs: number;
}

export interface PoolStatus {
	workers: PoolWorker[];
	waiting: number;
	running: number;
	/** How long the first in the queue has waited. */
	longestWaitMs?: number;
	requesters: { name: string; waiting: number; running: number }[];
	limits: { total: number | null; perRequester: number | null };
}

/** A worker that was silent for longer is gone: it was killed, or its machine is off. */
const GONE_AFTER_MS = 60_000;

export async function poolStatus(database: PoolDatabase, pool: string): Promise<PoolStatus> {
	const workers = await database.query<PoolWorker>(
		`SELECT name, places, busy, version, pi, draining, (extract(epoch FROM now() - seen_at) * 1000)::float8 AS "silentMs"
			FROM pi_geon.workers WHERE pool = $1 ORDER BY name`,
		[pool],
	);
	const jobs = await database.query<{ name: string; waiting: number; running: number; longest: number | null }>(
		`SELECT coalesce(group_id, '') AS name, (count(*) FILTER (WHERE state < 'active'))::int AS waiting,
			(count(*) FILTER (WHERE state = 'active'))::int AS running,
			(extract(epoch FROM now() - min(created_on) FILTER (WHERE state < 'active')) * 1000)::float8 AS longest
			FROM ${JOBS} WHERE name = $1 AND state <= 'active' GROUP BY 1 ORDER BY 1`,
		[database.queue],
	);
	const lane = await database.query<{ total: number | null; perRequester: number | null }>(
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

/** Those workers take nothing new, and leave when they have nothing left. Answers how many there are. */
export async function drainWorkers(database: PoolDatabase, pool: string, worker?: string): Promise<number> {
	const sql = "UPDATE pi_geon.workers SET draining = true WHERE pool = $1 AND ($2::text IS NULL OR name = $2)";
	return (await database.query(sql, [pool, worker ?? null])).rowCount ?? 0;
}

/** How many runs may run at once. Null: as many as there are places. */
export async function limitLane(database: PoolDatabase, pool: string, limits: PoolStatus["limits"]): Promise<void> {
	await database.query(
		`INSERT INTO pi_geon.lanes (pool, total, per_requester) VALUES ($1, $2, $3)
			ON CONFLICT (pool) DO UPDATE SET total = excluded.total, per_requester = excluded.per_requester`,
		[pool, limits.total, limits.perRequester],
	);
}
