import { findHost } from "../../ledger/hosts.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { findRun } from "../../ledger/records.ts";
import type { Wire } from "../../ports/wire.ts";
import type { Answer, Progress, Question } from "../../processes/protocol.ts";
import type { HostId, RunId } from "../../run/ids.ts";
import { RunObserver } from "../../supervise/observer.ts";

const NO_ASKS: ReadonlyMap<number, Question> = new Map();

/**
 * A run that pages show, observed in its host. All pages share one connection to the host that has the run now. There is none
 * while the run waits, and none once it has finished.
 */
export class LiveRun {
	readonly #runId: RunId;
	readonly #wire: Wire;
	readonly #onNews: () => void;
	#at: HostId | undefined;
	#observer: RunObserver | undefined;
	#isOver = false;
	progress: Progress | undefined;
	asks = NO_ASKS;

	constructor(runId: RunId, wire: Wire, onNews: () => void) {
		this.#runId = runId;
		this.#wire = wire;
		this.#onNews = onNews;
	}

	/** Follows the run to its current host. Called when something was written to the ledger. */
	async follow(ledger: Ledger): Promise<void> {
		const run = findRun(ledger, this.#runId)?.run;
		const hostId = run?.state === "running" ? run.hostId : undefined;
		if (hostId === this.#at) return;
		this.#leave();
		this.#at = hostId;
		const socket = hostId === undefined ? undefined : findHost(ledger, hostId)?.socket;
		if (socket === undefined) return;
		try {
			const observer = await RunObserver.open(this.#wire, socket, this.#runId, {
				onProgress: (progress) => this.#hear(() => (this.progress = progress), hostId),
				onAsks: (open) => this.#hear(() => (this.asks = new Map(open)), hostId),
				onClose: () => this.#hear(() => this.#leave(), hostId),
			});
			if (this.#isOver || this.#at !== hostId) observer.close();
			else this.#observer = observer;
		} catch (error) {
			// The host is just starting, or already dead. The ledger has the state of the run, and this tries again after the
			// next change.
			if (!(error instanceof Error && "code" in error)) throw error;
			if (this.#at === hostId) this.#at = undefined;
		}
	}

	/** False if the dialog is not open any more. */
	answer(askId: number, answer: Answer): boolean {
		return this.#observer?.answer(askId, answer) ?? false;
	}

	end(): void {
		this.#isOver = true;
		this.#leave();
	}

	#hear(change: () => void, from: HostId | undefined): void {
		if (this.#isOver || this.#at !== from) return;
		change();
		this.#onNews();
	}

	#leave(): void {
		const observer = this.#observer;
		this.#observer = undefined;
		this.#at = undefined;
		this.progress = undefined;
		this.asks = NO_ASKS;
		observer?.close();
	}
}
