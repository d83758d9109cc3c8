import { sendToRun } from "../../ledger/inbox.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { requestStop } from "../../ledger/progress.ts";
import { findRun } from "../../ledger/records.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Progress } from "../../processes/protocol.ts";
import type { RunId } from "../../run/ids.ts";
import { LineReader } from "../line-file.ts";
import { type LineNames, messageIn, renamedLine } from "../lines.ts";
import type { WorkerProgress } from "../progress.ts";
import type { HeldJob, NewLines, PorterQueue } from "../queue.ts";

export interface RelaySetup {
	queue: PorterQueue;
	ledger: Ledger;
	clock: Clock;
	job: HeldJob;
	runId: RunId;
	/** The session file here. */
	file: string;
	/** How many of its first lines came from the database. */
	known: number;
	names: { here: LineNames; there: LineNames };
	/** Called when a stop was requested, or a message came. */
	onNews(): void;
}

/** Sends the child's lines and progress to the database, and brings messages from the database to the child. */
export class Relay {
	readonly #setup: RelaySetup;
	readonly #reader: LineReader;
	/** Lines that were read, but are not in the database yet. */
	#pending: string[] = [];
	/** The number of the next line in the database. */
	#next: number;
	#told = "";
	#progress: Progress | undefined;
	/** The number of a message in the database, by its number in the ledger here. */
	readonly #seqThere = new Map<number, number>();
	readonly #given = new Set<number>();
	#isStopping = false;

	/** Needs to know how many lines came from the database: the child may already have added some to the file. */
	constructor(setup: RelaySetup) {
		this.#setup = setup;
		this.#reader = new LineReader(setup.file);
		this.#next = setup.known;
	}

	heard(progress: Progress): void {
		this.#progress = progress;
	}

	/** Sends lines and progress, if there is anything new. Fails with `ClaimLost` if another worker has the job. */
	async send(): Promise<void> {
		const news = this.last();
		if (news.lines.length === 0 && news.progress === this.#told) return;
		await this.#setup.queue.write(this.#setup.job, news);
		this.#next += news.lines.length;
		this.#pending = this.#pending.slice(news.lines.length);
		this.#told = news.progress;
	}

	/** Everything that is not in the database yet. */
	last(): NewLines {
		const { names, runId } = this.#setup;
		const progress = this.#look();
		const naming = { from: names.here, to: names.there, seq: (seq: number) => this.#seqThere.get(seq) ?? 0 };
		return {
			from: this.#next,
			lines: this.#pending.map((line) => renamedLine(line, naming)),
			taken: this.#pending.flatMap((line) => this.#seqThere.get(messageIn(line, runId) ?? 0) ?? []),
			progress,
		};
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

	/** Turns messages to the child into rows of this machine's ledger, like messages of a user here. */
	async receive(): Promise<void> {
		const { queue, ledger, job, runId, clock, onNews } = this.#setup;
		for (const { kind, seq, body, sender } of await queue.said(job.id)) {
			if (kind === "stop") this.#stop(body);
			else if (!this.#given.has(seq)) {
				const at = clock.now();
				const here = sendToRun(ledger, runId, { body, at, ...(sender === "user" && { sender }) });
				// If the run finished before the message came, the requester makes a follow-up run of it.
				if (here === undefined) return;
				this.#given.add(seq);
				this.#seqThere.set(here, seq);
				onNews();
			}
		}
	}

	#stop(by: string): void {
		if (this.#isStopping) return;
		this.#isStopping = true;
		requestStop(this.#setup.ledger, this.#setup.runId, { at: this.#setup.clock.now(), by });
		this.#setup.onNews();
	}
}
