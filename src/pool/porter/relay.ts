import type { PoolClient } from "pg";
import { sendToRun } from "../../ledger/inbox.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { requestStop } from "../../ledger/progress.ts";
import { findRun } from "../../ledger/records.ts";
import type { Progress } from "../../processes/protocol.ts";
import type { RunId } from "../../run/ids.ts";
import { hint, type PoolDatabase } from "../database.ts";
import { fencedWrite } from "../fenced.ts";
import type { HeldJob } from "../lane.ts";
import { LineReader } from "../line-file.ts";
import { type LineNames, messageIn, renamedLine } from "../lines.ts";
import type { WorkerProgress } from "../progress.ts";
import { CHANNELS } from "../schema.ts";

export interface RelaySetup {
	database: PoolDatabase;
	ledger: Ledger;
	job: HeldJob;
	runId: RunId;
	/** The session file here. */
	file: string;
	/** How many of its first lines came from there. */
	known: number;
	names: { here: LineNames; there: LineNames };
	/** A stop was asked for, or a message came. */
	onNews(): void;
}

/** Brings what the child writes and does to the database, and what is said to it from there. */
export class Relay {
	readonly #setup: RelaySetup;
	readonly #reader: LineReader;
	/** Read, and not in the database yet. */
	#pending: string[] = [];
	/** The number of the next line there. */
	#next: number;
	#told = "";
	#progress: Progress | undefined;
	/** The number of a message there, by its number in the ledger here. */
	readonly #seqThere = new Map<number, number>();
	readonly #given = new Set<number>();
	#isStopping = false;

	/** The child may have begun by now: what the file holds says nothing about where it came from. */
	constructor(setup: RelaySetup) {
		this.#setup = setup;
		this.#reader = new LineReader(setup.file);
		this.#next = setup.known;
	}

	heard(progress: Progress): void {
		this.#progress = progress;
	}

	/** Lines and progress, if there is anything new. Fails with `ClaimLost` if the job is another's. */
	async send(): Promise<void> {
		const body = this.#look();
		if (this.#pending.length === 0 && body === this.#told) return;
		await fencedWrite(this.#setup.database, this.#setup.job, async (client) => {
			await this.#write(client, body);
			await hint(client, CHANNELS.toRequesters, this.#setup.job.id);
		});
		this.#sent(body);
	}

	/** The last of it, in a transaction that does more. `sent` is to be called once that is committed. */
	async sendIn(client: PoolClient): Promise<{ sent(): void }> {
		const body = this.#look();
		await this.#write(client, body);
		return { sent: () => this.#sent(body) };
	}

	#look(): string {
		const readBefore = this.#reader.count;
		this.#pending.push(...this.#reader.next().slice(Math.max(0, this.#setup.known - readBefore)));
		return JSON.stringify(this.#state());
	}

	#state(): WorkerProgress {
		const { ledger, runId } = this.#setup;
		const record = findRun(ledger, runId);
		if (!record) throw new Error(`Run ${runId} is not in the ledger any more.`);
		const usage = record.run.state === "ended" ? record.run.outcome.usage : record.usage;
		return {
			usage,
			...(record.partial !== undefined && { said: record.partial }),
			...(this.#progress?.model !== undefined && { model: this.#progress.model }),
			...(this.#progress && { progress: this.#progress }),
		};
	}

	async #write(client: PoolClient, body: string): Promise<void> {
		const { job, names, runId } = this.#setup;
		const naming = { from: names.here, to: names.there, seq: (seq: number) => this.#seqThere.get(seq) ?? 0 };
		const lines = this.#pending.map((line) => renamedLine(line, naming));
		if (lines.length > 0) {
			// Again, if the connection broke between the commit and its answer: then they are there already, and ours.
			const { rowCount } = await client.query(
				`INSERT INTO pi_geon.lines (job, n, attempt, body)
					SELECT $1, $2::int + position - 1, $3, body FROM unnest($4::text[]) WITH ORDINALITY AS line (body, position)
					ON CONFLICT (job, n) DO UPDATE SET body = excluded.body WHERE lines.attempt = excluded.attempt`,
				[job.id, this.#next, job.retryCount, lines],
			);
			if (rowCount !== lines.length)
				throw new Error(`Lines of job ${job.id} from ${this.#next} on are another attempt's.`);
		}
		// In one transaction: a worker that takes over finds the message in the lines, or gets it again. Never both.
		const received = this.#pending.flatMap((line) => this.#seqThere.get(messageIn(line, runId) ?? 0) ?? []);
		if (received.length > 0) {
			const sql =
				"UPDATE pi_geon.messages SET taken = true WHERE job = $1 AND kind = 'message' AND seq = ANY($2::bigint[])";
			await client.query(sql, [job.id, received]);
		}
		await client.query("UPDATE pi_geon.progress SET body = $2 WHERE job = $1", [job.id, body]);
	}

	#sent(body: string): void {
		this.#next += this.#pending.length;
		this.#pending = [];
		this.#told = body;
	}

	/** What is said to the child becomes a row of the ledger here, as if somebody here had said it. */
	async receive(): Promise<void> {
		const { database, ledger, job, runId, onNews } = this.#setup;
		const { rows } = await database.query<{ kind: string; seq: string; body: string; sender: string | null }>(
			"SELECT kind, seq, body, sender FROM pi_geon.messages WHERE job = $1 AND NOT taken ORDER BY seq",
			[job.id],
		);
		for (const { kind, seq, body, sender } of rows) {
			if (kind === "stop") this.#stop(body);
			else if (!this.#given.has(Number(seq))) {
				const at = Date.now();
				const here = sendToRun(ledger, runId, { body, at, ...(sender === "user" && { sender }) });
				// It has ended: the requester continues with the message.
				if (here === undefined) return;
				this.#given.add(Number(seq));
				this.#seqThere.set(here, Number(seq));
				onNews();
			}
		}
	}

	#stop(by: string): void {
		if (this.#isStopping) return;
		this.#isStopping = true;
		requestStop(this.#setup.ledger, this.#setup.runId, { at: Date.now(), by });
		this.#setup.onNews();
	}
}
