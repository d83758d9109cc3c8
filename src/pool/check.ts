import { randomUUID } from "node:crypto";
import { isRecord } from "../run/is-record.ts";
import { hintOfNewJob, inTransaction, type PoolDatabase } from "./database.ts";
import { ORDER_VERSION, requesterHere, storedOrder } from "./job.ts";
import { PRIORITY } from "./lane.ts";
import { type RightsHere, rightsHere } from "./rights.ts";
import { forgetJob } from "./schema.ts";
import { poolStatus } from "./status.ts";

/** One finding of the check of a pool. */
export interface PoolFinding {
	level: "pass" | "warn" | "fail";
	what: string;
	remedy?: string;
}

export interface PoolCheck {
	database: PoolDatabase;
	pool: string;
	/** The version of this package. */
	version: string;
	signal: AbortSignal;
	withinMs?: number;
}

const ANSWERED_WITHIN_MS = 15_000;
const ANSWERED_YET_EVERY_MS = 100;
const CLOCKS_DIFFER_MS = 5000;

/** Checks a pool: clocks, permissions, the versions of its workers, and the way of an order to a worker and back. */
export async function* checkPool(check: PoolCheck): AsyncGenerator<PoolFinding> {
	const { database, pool, version } = check;
	yield await connection(database, pool);
	yield await clocks(database);
	const rights = await rightsHere(database);
	yield rightsFinding(rights);
	if (!rights.readsStatus) return;
	const { workers } = await poolStatus(database, pool);
	const alive = workers.filter(({ silentMs }) => silentMs < ANSWERED_WITHIN_MS);
	const here = alive.filter(({ draining }) => !draining);
	if (here.length === 0) {
		yield {
			level: "warn",
			what: alive.length === 0 ? `Pool ${pool} has no worker` : `All workers of pool ${pool} are being drained`,
			remedy: `Runs wait until there is one: pi-geon worker --pool ${pool}`,
		};
		return;
	}
	const others = here.filter((worker) => worker.version !== version);
	yield others.length === 0
		? {
				level: "pass",
				what: `${here.length} worker${here.length === 1 ? "" : "s"} of pool ${pool}, with this version (${version})`,
			}
		: {
				level: "warn",
				what: `Workers of pool ${pool} with another version: ${others.map((one) => `${one.name} has ${one.version}`).join(", ")}; here is ${version}`,
				remedy: "Use the same pi-geon on both ends.",
			};
	if (rights.missing.requester.length === 0) yield await thereAndBack(check);
}

async function clocks(database: PoolDatabase): Promise<PoolFinding> {
	const { rows } = await database.query<{ now: number }>(
		"SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
	);
	const apart = Math.abs(Date.now() - (rows[0]?.now ?? 0));
	if (apart < CLOCKS_DIFFER_MS) return { level: "pass", what: "The clocks of this machine and of the database agree" };
	return {
		level: "warn",
		what: `The clocks of this machine and of the database are ${Math.round(apart / 1000)} s apart`,
		remedy: "Displayed times are off by that much; nothing else depends on them.",
	};
}

function rightsFinding({ role, missing }: RightsHere): PoolFinding {
	const [requester, worker] = [missing.requester, missing.worker];
	if (requester.length === 0 && worker.length === 0) {
		return { level: "pass", what: `The role ${role} may post runs and work on them` };
	}
	if (requester.length === 0) return { level: "pass", what: `The role ${role} may post runs` };
	if (worker.length === 0) return { level: "pass", what: `The role ${role} may work on runs, but not post any` };
	const lacks = requester.length <= worker.length ? requester : worker;
	return {
		level: "fail",
		what: `The role ${role} may neither post runs nor work on them`,
		remedy: `docs/pool.md lists the rights of both. To grant what is missing: ${lacks.join("; ")}`,
	};
}

/** What the connection leads to, and whether others can read it on the way. */
async function connection(database: PoolDatabase, pool: string): Promise<PoolFinding> {
	const { rows } = await database.query<{ version: string; tls: string | null; isNear: boolean }>(
		`SELECT current_setting('server_version') AS version, (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls,
			coalesce(inet_server_addr() = inet_client_addr(), true) AS "isNear"`,
	);
	const { version = "", tls = null, isNear = true } = rows[0] ?? {};
	const how = tls === null ? "without TLS" : tls;
	const what = `The database of pool ${pool} can be reached: PostgreSQL ${version.split(" ")[0]}, ${how}`;
	if (tls !== null || isNear) return { level: "pass", what };
	return {
		level: "warn",
		what,
		remedy: "Others on the network can read the password and the source. Put sslmode=verify-full in the address.",
	};
}

async function thereAndBack({
	database,
	pool,
	signal,
	withinMs = ANSWERED_WITHIN_MS,
}: PoolCheck): Promise<PoolFinding> {
	const job = randomUUID();
	const began = performance.now();
	await database.transaction(async (client) => {
		const order = storedOrder({ version: ORDER_VERSION, kind: "check", requester: requesterHere() });
		await client.query("INSERT INTO pi_geon.orders (job, body) VALUES ($1, $2)", [job, order]);
		const how = { id: job, group: { id: `check ${job}` }, priority: PRIORITY.foreground };
		await database.boss.send(database.queue, {}, { ...how, ...inTransaction(client) });
		await hintOfNewJob(client);
	});
	try {
		while (!signal.aborted && performance.now() - began < withinMs) {
			const sql = "SELECT worker, body FROM pi_geon.outcomes WHERE job = $1";
			const { rows } = await database.query<{ worker: string; body: string }>(sql, [job]);
			const [answer] = rows;
			if (answer) return answered(answer, Math.round(performance.now() - began));
			await new Promise((resolve) => setTimeout(resolve, ANSWERED_YET_EVERY_MS));
		}
		await database.boss.cancel(database.queue, job);
		return {
			level: "warn",
			what: `No worker of pool ${pool} answered within ${withinMs / 1000} s`,
			remedy: `All their places may be taken: pi-geon pool status ${pool}`,
		};
	} finally {
		for (const sql of forgetJob) await database.query(sql, [job]);
	}
}

function answered({ worker, body }: { worker: string; body: string }, ms: number): PoolFinding {
	const about: unknown = JSON.parse(body);
	const pi = isRecord(about) && typeof about.pi === "string" ? about.pi : "an unknown version";
	return { level: "pass", what: `An order went there and back in ${ms} ms: ${worker} answered, with pi ${pi}` };
}
