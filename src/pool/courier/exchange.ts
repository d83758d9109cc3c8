import type { WorkServices } from "../../child/work.ts";
import { hint, type PoolDatabase } from "../database.ts";
import { LineWriter } from "../line-file.ts";
import { CHANNELS } from "../schema.ts";

/** Takes messages for the child to the database, and brings the lines of its session home. The counterpart of a worker's relay. */
export class Exchange {
	readonly #job: string;
	readonly #services: WorkServices;
	readonly #writer: LineWriter;
	readonly #relayed = new Set<number>();
	readonly #taken = new Set<number>();

	constructor({ job, services, file }: { job: string; services: WorkServices; file: string }) {
		this.#job = job;
		this.#services = services;
		this.#writer = new LineWriter(file);
	}

	async bringMessages(database: PoolDatabase): Promise<void> {
		for (const { seq, body, sender } of this.#services.inbox.waiting()) {
			if (this.#relayed.has(seq)) continue;
			const sql = `INSERT INTO pi_geon.messages (job, kind, seq, body, sender) VALUES ($1, 'message', $2, $3, $4)
				ON CONFLICT DO NOTHING`;
			await database.query(sql, [this.#job, seq, body, sender ?? null]);
			await hint(database, CHANNELS.toWorkers, this.#job);
			this.#relayed.add(seq);
		}
	}

	/**
	 * A message counts as received once the file here holds the line that says so. Writes nothing if the run was lost while the
	 * database answered.
	 */
	async bringLines(database: PoolDatabase, isLost: () => boolean): Promise<void> {
		const taken = await database.query<{ seq: string }>(
			"SELECT seq FROM pi_geon.messages WHERE job = $1 AND kind = 'message' AND taken",
			[this.#job],
		);
		const { rows } = await database.query<{ body: string }>(
			"SELECT body FROM pi_geon.lines WHERE job = $1 AND n >= $2 ORDER BY n",
			[this.#job, this.#writer.count],
		);
		if (isLost()) return;
		this.#services.assertLeaseHeld();
		this.#writer.append(rows.map(({ body }) => body));
		for (const seq of taken.rows.map((row) => Number(row.seq))) {
			if (this.#taken.has(seq)) continue;
			this.#services.inbox.taken(seq);
			this.#taken.add(seq);
		}
	}
}
