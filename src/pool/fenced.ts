import type { PoolClient } from "pg";
import type { PoolDatabase } from "./database.ts";
import { ClaimLost, type HeldJob } from "./queue.ts";
import { JOBS } from "./schema.ts";

/**
 * Lets a worker write only while the job is active and the attempt is its own. A worker that was suspended past its
 * heartbeat, and wakes up after another has taken over the job, writes nothing.
 */
export function fencedWrite<Result>(
	database: PoolDatabase,
	job: HeldJob,
	write: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
	return database.transaction(async (client) => {
		const { rowCount } = await client.query(
			`SELECT 1 FROM ${JOBS} WHERE name = $1 AND id = $2 AND state = 'active' AND retry_count = $3 FOR SHARE`,
			[database.queue, job.id, job.retryCount],
		);
		if (rowCount !== 1) throw new ClaimLost(job);
		return write(client);
	});
}
