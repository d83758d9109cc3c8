import type { PoolSettings } from "../config/config.ts";
import type { PoolLook, PoolStatus } from "../run/pool-status.ts";
import { PoolProblem, poolAddress } from "./address.ts";
import { CONNECT_WITHIN_MS } from "./database.ts";
import { engine } from "./engine.ts";
import { poolStatus } from "./status.ts";
import { whyUnreachable } from "./unreachable.ts";

interface Looking {
	agentDir: string;
	env: NodeJS.ProcessEnv;
}

/** The status of the configured pools. Never rejects: an unreachable pool is an answer too. */
export const lookAtPools = (pools: readonly PoolSettings[], where: Looking): Promise<PoolLook[]> =>
	Promise.all(pools.map((settings) => lookAtPool(settings, where)));

/** Only reads the status. Unlike `PoolDatabase`, it needs no queue and creates no tables. */
export async function lookAtPool(settings: PoolSettings, where: Looking): Promise<PoolLook> {
	const { name } = settings;
	try {
		return { name, status: await statusAt(poolAddress(settings, where), name) };
	} catch (error) {
		if (error instanceof PoolProblem)
			return { name, problem: error.message, remedy: "docs/pool.md says what a pool needs." };
		return { name, ...whyUnreachable(error) };
	}
}

async function statusAt(url: string, name: string): Promise<PoolStatus> {
	const client = new (engine().pg.Client)({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_WITHIN_MS,
		query_timeout: CONNECT_WITHIN_MS,
		application_name: "pi-geon",
	});
	// Without a listener, a connection that breaks between two queries would end the process. The next query reports it.
	client.on("error", () => {});
	try {
		await client.connect();
		const { rows } = await client.query<{ there: boolean }>("SELECT to_regclass('pi_geon.lanes') IS NOT NULL AS there");
		return rows[0]?.there ? await poolStatus(client, name) : NOT_USED_YET;
	} finally {
		await client.end();
	}
}

/** The first requester that posts a run, or the first worker, creates the tables. */
const NOT_USED_YET: PoolStatus = {
	workers: [],
	waiting: 0,
	running: 0,
	requesters: [],
	limits: { total: null, perRequester: null },
};
