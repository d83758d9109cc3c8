import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { NO_LOG } from "../../src/log/log.ts";
import { PostgresCourierQueue } from "../../src/pool/courier/postgres-queue.ts";
import { PoolDatabase } from "../../src/pool/database.ts";
import { PostgresPorterQueue } from "../../src/pool/porter/postgres-queue.ts";
import { ClaimLost, type CourierQueue, type HeldJob, type PorterQueue } from "../../src/pool/queue.ts";
import { JOBS } from "../../src/pool/schema.ts";
import { SimPostgres } from "../simulation/pool/postgres.ts";
import { usePostgres } from "./postgres.ts";

const postgres = usePostgres();
const closers = new Set<() => Promise<void>>();

afterEach(async () => {
	for (const close of closers) await close();
	closers.clear();
});

interface Queues {
	courier: CourierQueue;
	porter: Omit<PorterQueue, "listen">;
	/** The worker of a job falls silent for longer than a heartbeat. */
	silence(job: string): Promise<void>;
}

async function real(): Promise<Queues> {
	const database = await PoolDatabase.open({ url: await postgres.newDatabase(), name: "team", log: NO_LOG });
	closers.add(() => database.close());
	const courier = new PostgresCourierQueue(database);
	return {
		courier,
		porter: new PostgresPorterQueue(database),
		async silence(job) {
			await database.query(`UPDATE ${JOBS} SET heartbeat_on = now() - interval '1 minute' WHERE id = $1`, [job]);
			// Another process of the same pool may be at it just now: then this call leaves it to that one.
			await expect
				.poll(async () => {
					await database.boss.supervise(database.queue);
					return (await courier.find(job))?.state;
				})
				.not.toBe("active");
		},
	};
}

async function simulated(): Promise<Queues> {
	let now = 0;
	const server = new SimPostgres(() => now, 1000);
	const asynchronous = (works: object) =>
		Object.fromEntries(
			Object.entries(works).map(([name, work]) => [name, async (...args: unknown[]) => structuredClone(work(...args))]),
		);
	return {
		courier: asynchronous(server.courier) as unknown as CourierQueue,
		porter: asynchronous(server.porter) as unknown as PorterQueue,
		async silence() {
			now += 60_000;
			server.supervise();
		},
	};
}

describe.each([
	["PostgreSQL", real],
	["the simulated PostgreSQL", simulated],
])("the queue of %s", (_name, open) => {
	const posting = (job: string, order = "order") => ({
		...{ job, requester: "ada", priority: 0, order, bundle: undefined, lines: ["first"] },
	});
	const claimBy = async ({ porter }: Queues, worker: string): Promise<HeldJob> => {
		const held = await porter.claim({ pool: "team", worker });
		if (!held) throw new Error("There is nothing to claim.");
		return held;
	};
	const news = (from: number, lines: string[], taken: number[] = []) => ({ from, lines, taken, progress: "{}" });

	test("posts a job once, hands it to one worker, and keeps what that one writes, even if it writes it twice", async () => {
		const queues = await open();
		const { courier, porter } = queues;
		const job = randomUUID();
		expect(await courier.find(job)).toBeUndefined();
		await courier.post(posting(job));
		await courier.post(posting(job, "another order"));
		expect(await courier.find(job)).toMatchObject({ state: "created", attempt: 0, worker: null, progress: null });
		const held = await claimBy(queues, "b");
		expect(held).toEqual({ id: job, retryCount: 0 });
		expect(await porter.claim({ pool: "team", worker: "c" })).toBeUndefined();
		expect(await porter.stored(job)).toMatchObject({ order: "order", lines: ["first"], progress: null });
		await courier.say(job, { seq: 1, body: "closer" });
		await courier.say(job, { seq: 1, body: "again" });
		expect(await porter.said(job)).toMatchObject([{ kind: "message", seq: 1, body: "closer" }]);
		await porter.write(held, news(1, ["second"], [1]));
		await porter.write(held, news(1, ["second", "third"], [1]));
		expect(await porter.said(job)).toEqual([]);
		expect(await courier.linesFrom(job, 1)).toEqual({ lines: ["second", "third"], taken: [1] });
		await porter.complete(held, { outcome: "well", worker: "b", last: news(3, ["fourth"]) });
		expect(await courier.find(job)).toMatchObject({ state: "completed", worker: "b", progress: "{}" });
		expect(await courier.outcome(job)).toEqual({ body: "well", worker: "b" });
		expect((await courier.linesFrom(job, 0)).lines).toEqual(["first", "second", "third", "fourth"]);
		await courier.forget(job);
		expect(await courier.find(job)).toBeUndefined();
	});

	test("gives the job of a silent worker to another, and refuses all that the first one says from then on", async () => {
		const queues = await open();
		const { courier, porter, silence } = queues;
		const job = randomUUID();
		await courier.post(posting(job));
		const old = await claimBy(queues, "b");
		await porter.write(old, news(1, ["second"]));
		await silence(job);
		expect((await courier.find(job))?.state).toBe("retry");
		const held = await claimBy(queues, "c");
		expect(held).toEqual({ id: job, retryCount: 1 });
		expect((await porter.stored(job)).lines).toEqual(["first", "second"]);
		await expect(porter.write(old, news(2, ["late"]))).rejects.toThrow(ClaimLost);
		await expect(porter.complete(old, { outcome: "late", worker: "b" })).rejects.toThrow(ClaimLost);
		await porter.giveBack(old, "late");
		await expect(porter.write(held, news(1, ["over it"]))).rejects.toThrow("another attempt's");
		const sign = { pool: "team", places: 1, versions: { package: "0", pi: "0" } };
		expect((await porter.beat({ ...sign, worker: "b", held: [old] })).kept).toEqual(new Set());
		expect((await porter.beat({ ...sign, worker: "c", held: [held] })).kept).toEqual(new Set([job]));
		await porter.giveBack(held, "leaving");
		expect(await claimBy(queues, "d")).toEqual({ id: job, retryCount: 2 });
	});

	test("gives back what a dead worker had, and only while it is that one's", async () => {
		const queues = await open();
		const { courier, porter } = queues;
		const job = randomUUID();
		await courier.post(posting(job));
		await claimBy(queues, "host:7");
		await porter.giveBackLeft({ id: job, worker: "host:8" });
		expect((await courier.find(job))?.state).toBe("active");
		await porter.giveBackLeft({ id: job, worker: "host:7" });
		expect((await courier.find(job))?.state).toBe("retry");
		expect(await claimBy(queues, "host:9")).toEqual({ id: job, retryCount: 1 });
		await porter.giveBackLeft({ id: job, worker: "host:7" });
		expect(await courier.find(job)).toMatchObject({ state: "active", worker: "host:9" });
	});

	test("cancels a job that waits, and one that a worker has only if that is meant", async () => {
		const queues = await open();
		const { courier, porter } = queues;
		const [waits, runs] = [randomUUID(), randomUUID()];
		await courier.post(posting(runs));
		const held = await claimBy(queues, "b");
		await courier.post(posting(waits));
		for (const job of [waits, runs]) await courier.cancel(job, { underWorker: false });
		expect((await courier.find(waits))?.state).toBe("cancelled");
		expect((await courier.find(runs))?.state).toBe("active");
		await courier.askToStop(runs, "user");
		expect(await porter.said(runs)).toMatchObject([{ kind: "stop", body: "user" }]);
		await courier.cancel(runs, { underWorker: true });
		expect((await courier.find(runs))?.state).toBe("cancelled");
		await expect(porter.write(held, news(1, ["late"]))).rejects.toThrow(ClaimLost);
		expect(await porter.claim({ pool: "team", worker: "c" })).toBeUndefined();
	});
});
