import { hint, hintOfNewJob, inTransaction, type PoolDatabase } from "../database.ts";
import type { CourierQueue, JobRow, MessageToChild, Posting } from "../queue.ts";
import { CHANNELS, forgetJob, JOBS } from "../schema.ts";

/** How many lines go in one statement. */
const LINES_AT_ONCE = 500;

/** What a courier asks of PostgreSQL. */
export class PostgresCourierQueue implements CourierQueue {
	readonly #database: PoolDatabase;

	constructor(database: PoolDatabase) {
		this.#database = database;
	}

	async find(job: string): Promise<JobRow | undefined> {
		const { rows } = await this.#database.query<JobRow>(
			`SELECT state, retry_count AS attempt, worker, body AS progress,
				(extract(epoch FROM now() - CASE WHEN state = 'active' THEN claimed_at ELSE greatest(created_on, claimed_at) END) * 1000)::float8 AS for_ms
				FROM ${JOBS} AS job LEFT JOIN pi_geon.progress ON progress.job = job.id WHERE name = $1 AND id = $2`,
			[this.#database.queue, job],
		);
		return rows[0];
	}

	async post({ job, requester, priority, order, bundle, lines }: Posting): Promise<void> {
		const { boss, queue } = this.#database;
		await this.#database.transaction(async (client) => {
			const how = { id: job, group: { id: requester }, priority, ...inTransaction(client) };
			// Null: another courier has posted the job already.
			if ((await boss.send(queue, {}, how)) === null) return;
			await client.query("INSERT INTO pi_geon.orders (job, body) VALUES ($1, $2) ON CONFLICT DO NOTHING", [job, order]);
			if (bundle) {
				const sql = "INSERT INTO pi_geon.bundles (job, way, body) VALUES ($1, 'out', $2) ON CONFLICT DO NOTHING";
				await client.query(sql, [job, bundle]);
			}
			for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
				await client.query(
					`INSERT INTO pi_geon.lines (job, n, attempt, body)
						SELECT $1, $2::int + position - 1, -1, body FROM unnest($3::text[]) WITH ORDINALITY AS line (body, position)
						ON CONFLICT DO NOTHING`,
					[job, from, lines.slice(from, from + LINES_AT_ONCE)],
				);
			}
			await hintOfNewJob(client);
		});
	}

	async say(job: string, { seq, body, sender }: MessageToChild): Promise<void> {
		const sql = `INSERT INTO pi_geon.messages (job, kind, seq, body, sender) VALUES ($1, 'message', $2, $3, $4)
			ON CONFLICT DO NOTHING`;
		await this.#database.query(sql, [job, seq, body, sender ?? null]);
		await this.#hintWorker(job);
	}

	async askToStop(job: string, by: string): Promise<void> {
		const sql = "INSERT INTO pi_geon.messages (job, kind, seq, body) VALUES ($1, 'stop', 0, $2) ON CONFLICT DO NOTHING";
		await this.#database.query(sql, [job, by]);
		await this.#hintWorker(job);
	}

	async cancel(job: string, { underWorker }: { underWorker: boolean }): Promise<void> {
		const { boss, queue } = this.#database;
		await this.#database.transaction(async (client) => {
			const sql = `SELECT 1 FROM ${JOBS} WHERE name = $1 AND id = $2 AND (state < 'active' OR $3) FOR UPDATE`;
			const { rowCount } = await client.query(sql, [queue, job, underWorker]);
			if (rowCount === 1) await boss.cancel(queue, job, inTransaction(client));
		});
		await this.#hintWorker(job);
	}

	async linesFrom(job: string, n: number): Promise<{ lines: string[]; taken: number[] }> {
		// Messages first, so that the lines that are read next contain every message that is marked as taken.
		const taken = await this.#database.query<{ seq: string }>(
			"SELECT seq FROM pi_geon.messages WHERE job = $1 AND kind = 'message' AND taken",
			[job],
		);
		const { rows } = await this.#database.query<{ body: string }>(
			"SELECT body FROM pi_geon.lines WHERE job = $1 AND n >= $2 ORDER BY n",
			[job, n],
		);
		return { lines: rows.map(({ body }) => body), taken: taken.rows.map(({ seq }) => Number(seq)) };
	}

	async outcome(job: string): Promise<{ body: string; worker: string } | undefined> {
		const sql = "SELECT body, worker FROM pi_geon.outcomes WHERE job = $1";
		return (await this.#database.query<{ body: string; worker: string }>(sql, [job])).rows[0];
	}

	async order(job: string): Promise<string | undefined> {
		const sql = "SELECT body FROM pi_geon.orders WHERE job = $1";
		return (await this.#database.query<{ body: string }>(sql, [job])).rows[0]?.body;
	}

	async bundles(job: string): Promise<{ out: Buffer | undefined; home: Buffer | undefined }> {
		const sql = "SELECT way, body FROM pi_geon.bundles WHERE job = $1";
		const { rows } = await this.#database.query<{ way: string; body: Buffer }>(sql, [job]);
		const bundle = (way: string) => rows.find((one) => one.way === way)?.body;
		return { out: bundle("out"), home: bundle("home") };
	}

	async forget(job: string): Promise<void> {
		for (const sql of forgetJob) await this.#database.query(sql, [job]);
	}

	#hintWorker(job: string): Promise<unknown> {
		return hint(this.#database, CHANNELS.toWorkers, job);
	}
}
