import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { NO_LOG } from "../../src/log/log.ts";
import type { Finding } from "../../src/operate/doctor/check.ts";
import { checkPools } from "../../src/operate/doctor/pools.ts";
import { PoolDatabase } from "../../src/pool/database.ts";
import { fencedWrite } from "../../src/pool/fenced.ts";
import { claimJob, PRIORITY } from "../../src/pool/lane.ts";
import { ClaimLost, type HeldJob } from "../../src/pool/queue.ts";
import { JOBS } from "../../src/pool/schema.ts";
import { drainWorkers, forgetDeadWorkers, limitLane, poolStatus } from "../../src/pool/status.ts";
import { usePostgres } from "./postgres.ts";

const postgres = usePostgres();
const open = new Set<PoolDatabase>();

afterEach(async () => {
	for (const database of open) await database.close();
	open.clear();
});

async function openPool(): Promise<PoolDatabase> {
	const database = await PoolDatabase.open({ url: await postgres.newDatabase(), name: "team", log: NO_LOG });
	open.add(database);
	return database;
}

async function post(database: PoolDatabase, requester: string, mode: keyof typeof PRIORITY = "background") {
	const id = randomUUID();
	await database.boss.send(database.queue, {}, { id, group: { id: requester }, priority: PRIORITY[mode] });
	return id;
}

const claim = (database: PoolDatabase, worker = "w") => claimJob(database, { pool: "team", worker });

describe("the lane of a pool", () => {
	test("is never wider than its limits, however many claim at once, fair between requesters, foreground first", async () => {
		const database = await openPool();
		const requesterOf = new Map<string, string>();
		const posted = async (requester: string, mode?: keyof typeof PRIORITY) =>
			requesterOf.set(await post(database, requester, mode), requester);
		for (let n = 0; n < 12; n++) await posted("ada");
		for (let n = 0; n < 4; n++) await posted("bob");
		await posted("cleo", "foreground");
		await limitLane(database, "team", { total: 4, perRequester: 3 });
		const running = new Map<string, number>();
		const order: string[] = [];
		const most = { all: 0, one: 0 };
		const total = () => [...running.values()].reduce((sum, n) => sum + n, 0);
		await Promise.all(
			Array.from({ length: 6 }, async (_, worker) => {
				while (order.length < requesterOf.size || total() > 0) {
					const job = await claim(database, `w${worker}`);
					if (!job) {
						await pause(5);
						continue;
					}
					const requester = requesterOf.get(job.id) ?? "";
					order.push(requester);
					running.set(requester, (running.get(requester) ?? 0) + 1);
					most.all = Math.max(most.all, total());
					most.one = Math.max(most.one, running.get(requester) ?? 0);
					await pause(20);
					running.set(requester, (running.get(requester) ?? 0) - 1);
					await database.boss.complete(database.queue, job);
				}
			}),
		);
		expect(order).toHaveLength(17);
		expect(most.all).toBeLessThanOrEqual(4);
		expect(most.one).toBeLessThanOrEqual(3);
		expect(order[0]).toBe("cleo");
		// Not behind all of the other's.
		expect(order.lastIndexOf("bob")).toBeLessThan(order.lastIndexOf("ada"));
		expect(order.slice(0, 5).filter((one) => one === "bob").length).toBeGreaterThanOrEqual(1);
	});

	test("claims a job as pg-boss fetches one", async () => {
		const database = await openPool();
		const row = async (id: string | undefined) =>
			(await database.query(`SELECT * FROM ${JOBS} WHERE id = $1`, [id])).rows[0] ?? {};
		const changed = async (id: string, take: () => Promise<unknown>) => {
			const before = await row(id);
			await take();
			const after = await row(id);
			return Object.keys(after).filter((name) => String(before[name]) !== String(after[name]));
		};
		for (const attempt of [0, 1]) {
			const ours = await post(database, "ada");
			const changedByUs = await changed(ours, async () => {
				if (attempt > 0) await retried(database, ours, await claim(database));
				expect(await claim(database)).toEqual({ id: ours, retryCount: attempt });
			});
			await database.boss.complete(database.queue, { id: ours, retryCount: attempt });
			const theirs = await post(database, "ada");
			const fetch = async () => (await database.boss.fetch(database.queue))[0];
			const changedByPgBoss = await changed(theirs, async () => {
				if (attempt > 0) await retried(database, theirs, { id: theirs, retryCount: (await fetch())?.retryCount ?? 0 });
				expect((await fetch())?.id).toBe(theirs);
			});
			await database.boss.complete(database.queue, { id: theirs, retryCount: attempt });
			expect(changedByUs).toEqual(changedByPgBoss);
			expect(changedByUs).toContain("heartbeat_on");
		}
	});

	test("takes the next job if the first was cancelled, and none before its time", async () => {
		const database = await openPool();
		const [first, second] = [await post(database, "ada"), await post(database, "ada")];
		await database.boss.cancel(database.queue, first);
		await database.boss.send(
			database.queue,
			{},
			{ id: randomUUID(), group: { id: "bob" }, priority: 99, startAfter: 3600 },
		);
		expect(await claim(database)).toEqual({ id: second, retryCount: 0 });
		expect(await claim(database)).toBeUndefined();
	});

	test("gives the next place to a run whose worker is gone, before runs that never had one", async () => {
		const database = await openPool();
		const lost = await post(database, "ada");
		await limitLane(database, "team", { total: 1, perRequester: null });
		const first = await claim(database);
		await post(database, "bob", "foreground");
		await post(database, "ada", "foreground");
		await retried(database, lost, first);
		expect(await claim(database, "another")).toEqual({ id: lost, retryCount: 1 });
	});

	test("drains the workers that are alive, and forgets those that died long ago", async () => {
		const database = await openPool();
		const seen = (name: string, ago: string) =>
			database.query(
				`INSERT INTO pi_geon.workers (pool, name, places, version, pi, seen_at)
					VALUES ('team', $1, 1, '0', '0', now() - $2::interval)`,
				[name, ago],
			);
		await seen("alive", "1 second");
		await seen("dead", "5 minutes");
		await seen("forgotten", "2 days");
		expect(await drainWorkers(database, "team", "dead")).toBe(0);
		expect(await drainWorkers(database, "team")).toBe(1);
		await forgetDeadWorkers(database);
		const { rows } = await database.query("SELECT name, draining FROM pi_geon.workers ORDER BY name");
		expect(rows).toEqual([
			{ name: "alive", draining: true },
			{ name: "dead", draining: false },
		]);
	});

	test("says which runs wait, which run, and for how long", async () => {
		const database = await openPool();
		await post(database, "ada");
		await post(database, "ada");
		await claim(database);
		expect(await poolStatus(database, "team")).toMatchObject({
			waiting: 1,
			running: 1,
			longestWaitMs: expect.any(Number),
			requesters: [{ name: "ada", waiting: 1, running: 1 }],
			limits: { total: null, perRequester: null },
		});
	});
});

describe("what a worker writes", () => {
	const line = (job: HeldJob, n: number) => async (client: { query(sql: string, values: unknown[]): unknown }) => {
		const sql = "INSERT INTO pi_geon.lines (job, n, attempt, body) VALUES ($1, $2, $3, 'x')";
		await client.query(sql, [job.id, n, job.retryCount]);
	};

	test("counts only while the attempt is its own", async () => {
		const database = await openPool();
		await post(database, "ada");
		const first = await claim(database, "b");
		if (!first) throw new Error("nothing to claim");
		await fencedWrite(database, first, line(first, 0));
		// Its heartbeat runs out, and another takes the job over.
		await database.query(`UPDATE ${JOBS} SET heartbeat_on = now() - interval '1 minute' WHERE id = $1`, [first.id]);
		await database.boss.supervise(database.queue);
		const second = await expect
			.poll(() => claim(database, "c"))
			.toBeDefined()
			.then(() => held(database, first.id));
		await expect(fencedWrite(database, first, line(first, 1))).rejects.toThrow(ClaimLost);
		expect(await database.boss.complete(database.queue, first)).toMatchObject({ affected: 0 });
		await fencedWrite(database, second, line(second, 1));
		expect(await database.boss.complete(database.queue, second)).toMatchObject({ affected: 1 });
		const { rows } = await database.query("SELECT n, attempt FROM pi_geon.lines ORDER BY n");
		expect(rows).toEqual([
			{ n: 0, attempt: 0 },
			{ n: 1, attempt: 1 },
		]);
		const progress = await database.query<{ worker: string; kept: boolean }>(
			"SELECT worker, first_claimed_at < claimed_at AS kept FROM pi_geon.progress",
		);
		expect(progress.rows).toEqual([{ worker: "c", kept: true }]);
	});
});

describe("the doctor", () => {
	const look = async (env: NodeJS.ProcessEnv, pools: object[]) => {
		const sources = { config: { config: { pools } }, agentDir: "/nowhere", env } as never;
		const found: Finding[] = [];
		const examination = { sources, ledger: undefined, fix: false, signal: new AbortController().signal };
		for await (const finding of checkPools.run(examination)) found.push(finding);
		return found;
	};
	const team = { name: "team", urlEnv: "TEAM", urlFile: null, setup: null };

	test("tries each pool, says what is missing, never tells the address, and says nothing without a pool", async () => {
		expect(await look({}, [])).toEqual([]);
		const url = await postgres.newDatabase();
		expect((await look({ TEAM: url }, [team])).map(({ level, what }) => `${level}: ${what}`)).toEqual([
			expect.stringMatching(/^pass: The database of pool team can be reached: PostgreSQL [\d.]+, without TLS$/),
			"pass: The clocks of this machine and of the database agree",
			"pass: The role postgres may post runs and work on them",
			"warn: Pool team has no worker",
		]);
		const wrong = url.replace(/:[^:@/]+@/, ":wrong-password@");
		const [refused] = await look({ TEAM: wrong }, [team]);
		expect(refused).toMatchObject({ level: "fail", what: "Pool team cannot be used" });
		expect(JSON.stringify(refused)).not.toContain("wrong-password");
		expect(await look({}, [team])).toMatchObject([{ level: "fail", detail: expect.stringContaining("TEAM") }]);
	});
});

/** Its worker gives it back. */
async function retried(database: PoolDatabase, id: string, job: HeldJob | undefined): Promise<void> {
	expect(job?.id).toBe(id);
	if (job) await database.boss.fail(database.queue, job);
}

async function held(database: PoolDatabase, id: string): Promise<HeldJob> {
	const { rows } = await database.query<{ retry_count: number }>(`SELECT retry_count FROM ${JOBS} WHERE id = $1`, [id]);
	return { id, retryCount: rows[0]?.retry_count ?? -1 };
}
