import { randomUUID } from "node:crypto";
import { isRecord } from "../run/is-record.ts";
import { messageOf } from "../run/message-of.ts";
import { hintOfNewJob, inTransaction, type PoolDatabase } from "./database.ts";
import { ORDER_VERSION, requesterHere, storedOrder } from "./job.ts";
import { PRIORITY } from "./lane.ts";
import { forgetJob, JOBS } from "./schema.ts";
import { poolStatus } from "./status.ts";

/** What one look at a pool found. */
export interface PoolFinding {
	level: "pass" | "warn" | "fail";
	what: string;
	remedy?: string;
}

export interface PoolCheck {
	database: PoolDatabase;
	pool: string;
	/** Of this package. */
	version: string;
	signal: AbortSignal;
	withinMs?: number;
}

const ANSWERED_WITHIN_MS = 15_000;
const ANSWERED_YET_EVERY_MS = 100;
const CLOCKS_DIFFER_MS = 5000;

/** Tries a pool: clocks, rights, the versions of its workers, and an order there and back. */
export async function* checkPool(check: PoolCheck): AsyncGenerator<PoolFinding> {
	const { database, pool, version } = check;
	yield await clocks(database);
	yield await rights(database);
	const { workers } = await poolStatus(database, pool);
	const here = workers.filter(({ silentMs, draining }) => silentMs < ANSWERED_WITHIN_MS && !draining);
	if (here.length === 0) {
		yield {
			level: "warn",
			what: `Pool ${pool} has no worker`,
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
	yield await thereAndBack(check);
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
		remedy: "Times that are shown are wrong by that much; nothing else depends on it.",
	};
}

/** All that a requester and a worker do, undone at once. */
async function rights(database: PoolDatabase): Promise<PoolFinding> {
	const undo = new Error("undone");
	try {
		await database.transaction(async (client) => {
			const job = randomUUID();
			await client.query("INSERT INTO pi_geon.orders (job, body) VALUES ($1, '')", [job]);
			await client.query("UPDATE pi_geon.orders SET body = ' ' WHERE job = $1", [job]);
			await client.query("DELETE FROM pi_geon.orders WHERE job = $1", [job]);
			await client.query(`SELECT 1 FROM ${JOBS} LIMIT 1 FOR UPDATE`);
			throw undo;
		});
	} catch (error) {
		if (error !== undo) {
			return {
				level: "fail",
				what: `The role may not use the tables: ${messageOf(error)}`,
				remedy: "Grant it all rights on the tables of the schemas pi_geon and pi_geon_queue.",
			};
		}
	}
	return { level: "pass", what: "The role may read and write the tables" };
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
