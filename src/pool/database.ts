import type { Client, Pool, PoolClient, QueryResult, QueryResultRow } from "pg";
import type { PgBoss } from "pg-boss";
import type { Log } from "../log/log.ts";
import { CLAIM_FUNCTION, CLAIM_SIGNATURE } from "./claim-function.ts";
import { engine } from "./engine.ts";
import { CHANNELS, forgetOldJobs, KEPT_DAYS, QUEUE_SCHEMA, queueOf, TABLES } from "./schema.ts";

/** A worker that is silent for this long has lost its jobs. This is pg-boss's minimum. */
export const HEARTBEAT_SECONDS = 10;
/** How often each process looks for silent workers. A takeover takes this plus the time above. */
const SUPERVISED_EVERY_SECONDS = 2;
/** Less than a heartbeat, so that a worker that lost its network notices before others take its jobs. */
export const CONNECT_WITHIN_MS = 5000;
/** Without a limit, a query would wait for hours when the network drops packets. Long enough for a large bundle. */
const STATEMENT_WITHIN_MS = 20_000;
/**
 * How long a client may be silent before the database ends its transaction. A process that was suspended or cut off during a
 * claim would keep the lock that all claims wait for; during a write, it would keep the row that a takeover changes.
 */
const SILENT_IN_TRANSACTION_MS = 10_000;
const CONNECTIONS = 6;
/** How long to wait before opening a lost connection for hints again. */
const LISTEN_AGAIN_MS = 500;
/** How many workers may die with a run before it fails. */
const TAKEOVERS = 10;
/** pg-boss allows at most a day. The run's own limit ends it earlier. */
const LONGEST_JOB_SECONDS = 23 * 3600;

/** PostgreSQL's code for missing permissions. */
const INSUFFICIENT_PRIVILEGE = "42501";

export type SqlValues = readonly unknown[];

/** Runs queries in a transaction, or without one. */
export interface Queries {
	query<Row extends QueryResultRow>(sql: string, values?: SqlValues): Promise<QueryResult<Row>>;
}

/** The database of a pool: our tables, and pg-boss's queue on the same connections. */
export class PoolDatabase implements Queries {
	readonly boss: PgBoss;
	readonly queue: string;
	readonly #pool: Pool;
	readonly #url: string;
	readonly #log: Log;
	readonly #listeners = new Set<Client>();
	#isClosed = false;

	private constructor({ url, pool, name, log }: { url: string; pool: Pool; name: string; log: Log }) {
		this.#url = url;
		this.#pool = pool;
		this.#log = log;
		this.queue = queueOf(name);
		this.boss = new (engine().PgBoss)({
			db: { executeSql: (sql, values) => pool.query(sql, values) },
			schema: QUEUE_SCHEMA,
			schedule: false,
			supervise: true,
			superviseIntervalSeconds: SUPERVISED_EVERY_SECONDS,
			monitorIntervalSeconds: 1,
		});
		// Without a listener, an error would end the process. The next query meets the same trouble and reports it.
		this.boss.on("error", (error) => log.warn("trouble with the queue", { error }));
	}

	/** Connects, and creates what is missing. Fails with the database's error. */
	static async open({ url, name, log }: { url: string; name: string; log: Log }): Promise<PoolDatabase> {
		const pool = new (engine().pg.Pool)({
			connectionString: url,
			max: CONNECTIONS,
			connectionTimeoutMillis: CONNECT_WITHIN_MS,
			query_timeout: STATEMENT_WITHIN_MS,
			idle_in_transaction_session_timeout: SILENT_IN_TRANSACTION_MS,
			keepAlive: true,
			application_name: "pi-geon",
		});
		pool.on("error", (error) => log.warn("a connection to the pool's database broke", { error }));
		const database = new PoolDatabase({ url, pool, name, log });
		try {
			await database.#prepare();
			return database;
		} catch (error) {
			await database.close();
			throw error;
		}
	}

	async #prepare(): Promise<void> {
		// Check first: a role that may only use the tables may not create any.
		if (!(await this.#has("to_regclass", "pi_geon.lanes"))) await this.#make(TABLES);
		await this.boss.start();
		if (!(await this.#has("to_regprocedure", CLAIM_SIGNATURE))) await this.#make(CLAIM_FUNCTION);
		if (!(await this.boss.getQueue(this.queue))) {
			await this.boss.createQueue(this.queue, {
				// With "singleton", pg-boss remembers used keys for a minute, and no worker could take over a job. The
				// requester's ledger ensures that a session has one writer.
				policy: "standard",
				heartbeatSeconds: HEARTBEAT_SECONDS,
				expireInSeconds: LONGEST_JOB_SECONDS,
				retryLimit: TAKEOVERS,
				retryDelay: 0,
				retentionSeconds: KEPT_DAYS * 24 * 3600,
				deleteAfterSeconds: KEPT_DAYS * 24 * 3600,
			});
		}
		await this.#forgetOldJobs();
	}

	/** Removes rows of old jobs. Only a requester's role may do so, so missing permissions are ignored. */
	async #forgetOldJobs(): Promise<void> {
		try {
			for (const sql of forgetOldJobs) await this.query(sql);
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
		}
	}

	async #has(how: "to_regclass" | "to_regprocedure", name: string): Promise<boolean> {
		const { rows } = await this.query<{ there: boolean }>(`SELECT ${how}($1) IS NOT NULL AS there`, [name]);
		return rows[0]?.there === true;
	}

	/** Lets one process at a time create something. Tables that another process has just created stay. */
	async #make(sql: string): Promise<void> {
		await this.transaction(async (client) => {
			await client.query("SELECT pg_advisory_xact_lock(hashtext('pi_geon'))");
			await client.query(sql);
		});
	}

	query<Row extends QueryResultRow>(sql: string, values: SqlValues = []): Promise<QueryResult<Row>> {
		return values.length === 0 ? this.#pool.query<Row>(sql) : this.#pool.query<Row>(sql, [...values]);
	}

	/** Does the work in a transaction: an error rolls it back. */
	async transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
		const client = await this.#pool.connect();
		let broken: Error | undefined;
		// A client outside the connection pool lacks the pool's listener, so an error would end the process.
		const onError = (error: Error) => {
			broken = error;
		};
		client.on("error", onError);
		try {
			await client.query("BEGIN");
			const result = await work(client);
			await client.query("COMMIT");
			return result;
		} catch (error) {
			await client.query("ROLLBACK").catch((failed: Error) => {
				broken = failed;
			});
			throw error;
		} finally {
			client.off("error", onError);
			client.release(broken);
		}
	}

	/** Receives hints until the database is closed. Opens a broken connection again, and then calls `onHint`. */
	listen(channel: (typeof CHANNELS)[keyof typeof CHANNELS], onHint: (payload: string | undefined) => void): void {
		if (this.#isClosed) return;
		const client = new (engine().pg.Client)({ connectionString: this.#url, keepAlive: true });
		const again = (error?: Error) => {
			if (!this.#listeners.delete(client) || this.#isClosed) return;
			if (error) this.#log.warn("the connection for hints broke", { error });
			client.end().catch(() => {}); // It is broken already.
			setTimeout(() => this.listen(channel, onHint), LISTEN_AGAIN_MS);
		};
		this.#listeners.add(client);
		client.on("error", again);
		client.on("end", () => again());
		client.on("notification", ({ payload }) => onHint(payload));
		client
			.connect()
			.then(
				async () => {
					await client.query(`LISTEN ${channel}`);
					onHint(undefined);
				},
				(error: Error) => again(error),
			)
			.catch(again);
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		const listeners = [...this.#listeners];
		this.#listeners.clear();
		await Promise.allSettled(listeners.map((client) => client.end()));
		await this.boss
			.stop({ graceful: false })
			.catch((error: Error) => this.#log.warn("the queue did not stop", { error }));
		await this.#pool.end();
	}
}

/** Makes pg-boss's statements part of a transaction of ours. */
export const inTransaction = (client: PoolClient) => ({
	db: { executeSql: (sql: string, values?: unknown[]) => client.query(sql, values) },
});

/** Hints that there is news of a job. */
export const hint = (client: Queries, channel: string, job: string) =>
	client.query("SELECT pg_notify($1, $2)", [channel, job]);

/** Hints that there is a job to claim. Does not name it, so that it differs from news about jobs of other workers. */
export const hintOfNewJob = (client: Queries) => hint(client, CHANNELS.toWorkers, "");
