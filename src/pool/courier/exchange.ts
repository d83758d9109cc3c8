import type { WorkServices } from "../../child/work.ts";
import { LineWriter } from "../line-file.ts";
import type { CourierQueue, MessageToChild } from "../queue.ts";

/** Sends messages for the child to the database, and brings the lines of its session home. The counterpart of a `Relay`. */
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

	get hasMessages(): boolean {
		return this.#messages().length > 0;
	}

	async bringMessages(queue: CourierQueue): Promise<void> {
		for (const message of this.#messages()) {
			await queue.say(this.#job, message);
			this.#relayed.add(message.seq);
		}
	}

	/** The messages that the database does not have yet. */
	#messages(): MessageToChild[] {
		return this.#services.inbox.waiting().filter(({ seq }) => !this.#relayed.has(seq));
	}

	/**
	 * A message counts as received once the file here contains its line. Writes nothing if the run was lost while the database
	 * answered.
	 */
	async bringLines(queue: CourierQueue, isLost: () => boolean): Promise<void> {
		const { lines, taken } = await queue.linesFrom(this.#job, this.#writer.count);
		if (isLost()) return;
		this.#services.assertLeaseHeld();
		this.#writer.append(lines);
		for (const seq of taken) {
			if (this.#taken.has(seq)) continue;
			this.#services.inbox.taken(seq);
			this.#taken.add(seq);
		}
	}
}
