import type { PoolClient } from "pg";
import { inTransaction, type PoolDatabase } from "./database.ts";
import { JOBS } from "./schema.ts";

/** A job that a worker has, and which of its attempts that is. */
export interface HeldJob {
	id: string;
	retryCount: number;
}

export interface JobClaim {
	pool: string;
	worker: string;
}

/** Foreground runs go first: somebody waits for them. */
export const PRIORITY = { foreground: 10, background: 0 } as const;

/**
 * The next job of a pool, now this worker's. Claims are made one after the other, so that none is made past a limit: pg-boss's
 * own group limits count before they claim, and overshoot.
 *
 * Order: foreground first; then the requester with the fewest runs under way; then the order of posting.
 */
export function claimJob(database: PoolDatabase, { pool, worker }: JobClaim): Promise<HeldJob | undefined> {
	return database.transaction(async (client) => {
		await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`pi_geon ${pool}`]);
		const turn = await whoseTurn(client, { pool, queue: database.queue });
		if (!turn) return undefined;
		const [job] = await database.boss.fetch(database.queue, {
			batchSize: 1,
			includeMetadata: true,
			ignoreGroups: turn.notNow.length > 0 ? turn.notNow : null,
			...inTransaction(client),
		});
		if (!job) return undefined;
		await recordClaim(client, job, worker);
		return { id: job.id, retryCount: job.retryCount };
	});
}

interface WaitingRequester {
	requester: string;
	/** The most urgent of its jobs. */
	priority: number;
}

async function whoseTurn(
	client: PoolClient,
	{ pool, queue }: { pool: string; queue: string },
): Promise<{ notNow: string[] } | undefined> {
	const active = await client.query<{ requester: string; n: number }>(
		`SELECT group_id AS requester, count(*)::int AS n FROM ${JOBS} WHERE name = $1 AND state = 'active' GROUP BY 1`,
		[queue],
	);
	const lane = await client.query<{ total: number | null; per_requester: number | null }>(
		"SELECT total, per_requester FROM pi_geon.lanes WHERE pool = $1",
		[pool],
	);
	const { total, per_requester: perRequester } = lane.rows[0] ?? { total: null, per_requester: null };
	const all = active.rows.reduce((sum, { n }) => sum + n, 0);
	if (all >= (total ?? Number.POSITIVE_INFINITY)) return undefined;
	const { rows: waiting } = await client.query<WaitingRequester>(
		`SELECT group_id AS requester, max(priority)::int AS priority FROM ${JOBS}
			WHERE name = $1 AND state < 'active' AND start_after <= now() GROUP BY 1`,
		[queue],
	);
	const has = new Map(active.rows.map(({ requester, n }) => [requester, n]));
	const runs = ({ requester }: WaitingRequester) => has.get(requester) ?? 0;
	const may = waiting.filter((one) => runs(one) < (perRequester ?? Number.POSITIVE_INFINITY));
	if (may.length === 0) return undefined;
	const most = Math.max(...may.map(({ priority }) => priority));
	const urgent = may.filter(({ priority }) => priority === most);
	const least = Math.min(...urgent.map(runs));
	const now = new Set(urgent.filter((one) => runs(one) === least).map(({ requester }) => requester));
	return { notNow: waiting.map(({ requester }) => requester).filter((requester) => !now.has(requester)) };
}

/** By the database's clock, like all times that two machines compare. The first claim is what a time limit counts from. */
async function recordClaim(client: PoolClient, job: HeldJob, worker: string): Promise<void> {
	await client.query(
		`INSERT INTO pi_geon.progress (job, attempt, worker, claimed_at, first_claimed_at) VALUES ($1, $2, $3, now(), now())
			ON CONFLICT (job) DO UPDATE SET attempt = excluded.attempt, worker = excluded.worker, claimed_at = now()`,
		[job.id, job.retryCount, worker],
	);
}
