/**
 * What a pool costs: claims by many connections from a long queue, short runs with 1, 2 and 4 workers, and a remote run beside a
 * local one. Couriers, porters, hosts and PostgreSQL are real, children are scripted.
 *
 *   node bench/pool.ts [--part claims] [--queued 10000] [--connections 50] [--claims 1000] [--runs 40]
 */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { NO_LOG } from "../src/log/log.ts";
import { PoolDatabase } from "../src/pool/database.ts";
import { claimJob } from "../src/pool/lane.ts";
import { attackPool, removeFolder } from "../test/pool/faults/attack.ts";
import { startPostgres } from "../test/pool/postgres-server.ts";

const { values } = parseArgs({
	options: {
		queued: { type: "string", default: "10000" },
		connections: { type: "string", default: "50" },
		claims: { type: "string", default: "1000" },
		runs: { type: "string", default: "40" },
		/** claims, throughput or overhead; all of them without it. */
		part: { type: "string" },
	},
});
const runs = Number(values.runs);

for (const [name, measure] of Object.entries({ claims, throughput, overhead })) {
	if (values.part === undefined || values.part === name) await measure();
}

/** Ten connections of the driver for each of a few processes' worth of claimers: a porter claims one job at a time. */
async function claims(): Promise<void> {
	const connections = Number(values.connections);
	const server = await startPostgres(["-c", "max_connections=400"]);
	const open: PoolDatabase[] = [];
	try {
		const url = await server.newDatabase();
		for (let n = 0; n < connections; n++) open.push(await PoolDatabase.open({ url, name: "team", log: NO_LOG }));
		const [first] = open;
		if (!first) throw new Error("There are no connections.");
		const queued = Number(values.queued);
		for (let from = 0; from < queued; from += 500) {
			const some = Array.from({ length: Math.min(500, queued - from) }, (_, n) => ({
				id: randomUUID(),
				group: { id: `requester ${(from + n) % 20}` },
			}));
			await first.boss.insert(first.queue, some);
		}
		await first.query("ANALYZE");
		const each = Math.ceil(Number(values.claims) / connections);
		const alone = await timed(first, each * 4);
		const together = (await Promise.all(open.map((database) => timed(database, each)))).flat();
		const [one, many] = [quantiles(alone), quantiles(together)];
		say(`claim, 1 connection, ${queued} queued`, `median ${one.median} ms, p95 ${one.p95} ms`);
		say(
			`claim, ${connections} connections at once`,
			`median ${many.median} ms, p95 ${many.p95} ms, ${together.length} claims`,
		);
		say("ratio of the medians", (many.median / one.median).toFixed(1));
	} finally {
		for (const database of open) await database.close();
		await server.stop();
	}
}

async function timed(database: PoolDatabase, times: number): Promise<number[]> {
	const took: number[] = [];
	for (let n = 0; n < times; n++) {
		const began = performance.now();
		if (!(await claimJob(database, { pool: "team", worker: "bench" }))) throw new Error("Nothing to claim.");
		took.push(performance.now() - began);
	}
	return took;
}

/** From the first claim to the last end, so that starting processes does not count. */
async function throughput(): Promise<void> {
	const perSecond = new Map<number, number>();
	for (const workers of [1, 2, 4]) {
		const { evidence, folder } = await attackPool({
			...{ runs, faults: 0, seed: 1, workers, places: 4, laneLimit: 1000 },
			oneIn: { changes: 1e9, stop: 1e9, message: 1e9 },
		});
		removeFolder(folder);
		const from = Math.min(...evidence.database.claims.map(({ at }) => at));
		const to = Math.max(...evidence.database.jobs.map(({ at }) => at));
		perSecond.set(workers, (evidence.runs.length * 1000) / (to - from));
		const ratio = (perSecond.get(workers) ?? 0) / (perSecond.get(1) ?? 1);
		say(
			`${workers} worker${workers === 1 ? "" : "s"} of 4 places`,
			`${perSecond.get(workers)?.toFixed(2)} runs/s, ${ratio.toFixed(2)} times one worker`,
		);
	}
}

/** One run after the other, each from its admission to its end. */
async function overhead(): Promise<void> {
	const times = async (pool: boolean) => {
		const { evidence, folder } = await attackPool({
			...{ runs: 10, faults: 0, seed: 1, workers: 1, laneLimit: 1000, oneByOne: true, stepMs: 20, pool },
			oneIn: { changes: 1e9, stop: 1e9, message: 1e9 },
		});
		removeFolder(folder);
		// The first ones start the hosts.
		return quantiles(evidence.runs.slice(2).map(({ tookMs }) => tookMs)).median;
	};
	const [near, far] = [await times(false), await times(true)];
	say("a local run, scripted child", `${near} ms`);
	say("the same run on a worker", `${far} ms, ${far - near} ms more, ${(far / near).toFixed(2)} times`);
}

function quantiles(times: readonly number[]): { median: number; p95: number } {
	const sorted = times.toSorted((a, b) => a - b);
	const at = (share: number) =>
		Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
	return { median: at(0.5), p95: at(0.95) };
}

function say(what: string, figure: string): void {
	console.log(`${what.padEnd(44)} ${figure}`);
}
