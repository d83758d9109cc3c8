import type { PoolDatabase } from "../database.ts";
import { JOBS } from "../schema.ts";

/** A job as its requester sees it. */
export interface JobRow {
	state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
	attempt: number;
	worker: string | null;
	/** By the database's clock: how long it has been as it is. */
	for_ms: number;
	progress: string | null;
}

export async function findJob(database: PoolDatabase, job: string): Promise<JobRow | undefined> {
	const { rows } = await database.query<JobRow>(
		`SELECT state, retry_count AS attempt, worker, body AS progress,
			(extract(epoch FROM now() - CASE WHEN state = 'active' THEN claimed_at ELSE greatest(created_on, claimed_at) END) * 1000)::float8 AS for_ms
			FROM ${JOBS} AS job LEFT JOIN pi_geon.progress ON progress.job = job.id WHERE name = $1 AND id = $2`,
		[database.queue, job],
	);
	return rows[0];
}
