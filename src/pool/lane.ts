import { CLAIM } from "./claim-function.ts";
import type { PoolDatabase } from "./database.ts";
import type { HeldJob } from "./queue.ts";

export interface JobClaim {
	pool: string;
	worker: string;
}

/** Foreground runs go first, because a caller waits for them. */
export const PRIORITY = { foreground: 10, background: 0 } as const;

/** Claims the next job of a pool for a worker, in the lane's order and within its limits. */
export async function claimJob(database: PoolDatabase, { pool, worker }: JobClaim): Promise<HeldJob | undefined> {
	const { rows } = await database.query<{ id: string; retryCount: number }>(
		`SELECT claimed AS id, claimed_attempt AS "retryCount" FROM ${CLAIM}($1, $2, $3)`,
		[database.queue, pool, worker],
	);
	return rows[0];
}
