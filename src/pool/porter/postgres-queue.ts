import type { PoolClient } from "pg";
import { hint, hintOfNewJob, inTransaction, type PoolDatabase } from "../database.ts";
import { fencedWrite } from "../fenced.ts";
import { claimJob } from "../lane.ts";
import {
	ClaimLost,
	type HeldJob,
	type JobEnd,
	type LeftJob,
	type NewLines,
	type PorterQueue,
	type Said,
	type StoredJob,
	type WorkerSign,
} from "../queue.ts";
import { CHANNELS, JOBS } from "../schema.ts";

/** What a worker asks of PostgreSQL. */
export class PostgresPorterQueue implements PorterQueue {
	readonly #database: PoolDatabase;

	constructor(database: PoolDatabase) {
		this.#database = database;
	}

	async beat({ pool, worker, places, versions, held }: WorkerSign) {
		const { rows } = await this.#database.query<{ draining: boolean }>(
			`INSERT INTO pi_geon.workers (pool, name, places, version, pi) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (pool, name) DO UPDATE SET seen_at = now() RETURNING draining`,
			[pool, worker, places, versions.package, versions.pi],
		);
		const { boss, queue } = this.#database;
		const touched = held.length > 0 ? await boss.touch(queue, [...held]) : {};
		return { isDraining: rows[0]?.draining === true, kept: new Set((touched as { settled?: string[] }).settled) };
	}

	claim(claim: { pool: string; worker: string }): Promise<HeldJob | undefined> {
		return claimJob(this.#database, claim);
	}

	async stored(job: string): Promise<StoredJob> {
		const order = await this.#database.query<{ body: string }>("SELECT body FROM pi_geon.orders WHERE job = $1", [job]);
		const lines = await this.#database.query<{ body: string }>(
			"SELECT body FROM pi_geon.lines WHERE job = $1 ORDER BY n",
			[job],
		);
		const progress = await this.#database.query<{ body: string | null; ms: number }>(
			`SELECT body, (extract(epoch FROM now() - first_claimed_at) * 1000)::float8 AS ms FROM pi_geon.progress WHERE job = $1`,
			[job],
		);
		const bundle = await this.#database.query<{ body: Buffer }>(
			"SELECT body FROM pi_geon.bundles WHERE job = $1 AND way = 'out'",
			[job],
		);
		return {
			order: order.rows[0]?.body,
			lines: lines.rows.map(({ body }) => body),
			progress: progress.rows[0]?.body ?? null,
			elapsedMs: Math.round(progress.rows[0]?.ms ?? 0),
			bundle: bundle.rows[0]?.body,
		};
	}

	async said(job: string): Promise<Said[]> {
		const { rows } = await this.#database.query<{
			kind: Said["kind"];
			seq: string;
			body: string;
			sender: string | null;
		}>("SELECT kind, seq, body, sender FROM pi_geon.messages WHERE job = $1 AND NOT taken ORDER BY seq", [job]);
		return rows.map(({ seq, sender, ...rest }) => ({ ...rest, seq: Number(seq), sender: sender ?? undefined }));
	}

	write(job: HeldJob, news: NewLines): Promise<void> {
		return fencedWrite(this.#database, job, async (client) => {
			await writeNews(client, job, news);
			await hint(client, CHANNELS.toRequesters, job.id);
		});
	}

	complete(job: HeldJob, { outcome, worker, last, home }: JobEnd): Promise<void> {
		const { boss, queue } = this.#database;
		return fencedWrite(this.#database, job, async (client) => {
			if (last) await writeNews(client, job, last);
			if (home) {
				const sql = `INSERT INTO pi_geon.bundles (job, way, body) VALUES ($1, 'home', $2)
					ON CONFLICT (job, way) DO UPDATE SET body = excluded.body`;
				await client.query(sql, [job.id, home]);
			}
			await client.query(
				`INSERT INTO pi_geon.outcomes (job, attempt, worker, body) VALUES ($1, $2, $3, $4)
					ON CONFLICT (job) DO UPDATE SET attempt = excluded.attempt, worker = excluded.worker, body = excluded.body`,
				[job.id, job.retryCount, worker, outcome],
			);
			// Check the attempt too: the id alone would end the job of any worker.
			const ended = await boss.complete(queue, job, {}, inTransaction(client));
			if ((ended as { affected?: number }).affected !== 1) throw new ClaimLost(job);
			await hint(client, CHANNELS.toRequesters, job.id);
		});
	}

	async giveBack(job: HeldJob, message: string): Promise<void> {
		await this.#database.boss.fail(this.#database.queue, job, { message });
		await hintOfNewJob(this.#database);
	}

	async giveBackLeft({ id, worker }: LeftJob): Promise<void> {
		const { rows } = await this.#database.query<HeldJob>(
			`SELECT id, retry_count AS "retryCount" FROM ${JOBS} AS job JOIN pi_geon.progress ON progress.job = job.id
				WHERE name = $1 AND id = $2 AND state = 'active' AND worker = $3`,
			[this.#database.queue, id, worker],
		);
		const [held] = rows;
		if (held) await this.giveBack(held, "Its worker died.");
	}

	async sayGoodbye({ pool, worker }: { pool: string; worker: string }): Promise<void> {
		await this.#database.query("DELETE FROM pi_geon.workers WHERE pool = $1 AND name = $2", [pool, worker]);
	}

	listen(onHint: (job: string | undefined) => void): void {
		this.#database.listen(CHANNELS.toWorkers, onHint);
	}
}

async function writeNews(client: PoolClient, job: HeldJob, { from, lines, taken, progress }: NewLines): Promise<void> {
	if (lines.length > 0) {
		// If the connection broke between the commit and its answer, the insert is repeated: the rows exist, and are ours.
		const { rowCount } = await client.query(
			`INSERT INTO pi_geon.lines (job, n, attempt, body)
				SELECT $1, $2::int + position - 1, $3, body FROM unnest($4::text[]) WITH ORDINALITY AS line (body, position)
				ON CONFLICT (job, n) DO UPDATE SET body = excluded.body WHERE lines.attempt = excluded.attempt`,
			[job.id, from, job.retryCount, lines],
		);
		if (rowCount !== lines.length) throw new Error(`Lines of job ${job.id} from ${from} on are another attempt's.`);
	}
	// In the same transaction, so that a worker that takes over either finds the message in the lines or gets it again.
	if (taken.length > 0) {
		const sql =
			"UPDATE pi_geon.messages SET taken = true WHERE job = $1 AND kind = 'message' AND seq = ANY($2::bigint[])";
		await client.query(sql, [job.id, taken]);
	}
	await client.query("UPDATE pi_geon.progress SET body = $2 WHERE job = $1", [job.id, progress]);
}
