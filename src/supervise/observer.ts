import type { Link, Wire } from "../ports/wire.ts";
import { type Answer, asFromHost, type Progress, type Question, type ToHost } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";

/** What an observer hears about a run. */
export interface ObserverListener {
	onProgress(progress: Progress): void;
	/** The dialogs of the child's extensions that are open now. */
	onAsks(open: ReadonlyMap<number, Question>): void;
	/** The host closed the connection, or the run ended there. */
	onClose(): void;
}

/**
 * Watches one run in its host. The host ignores the observer: it does not look at the ledger for it, does not stay for it,
 * and does not count it as a user who is present. Each run has its own connection, which ends with the run.
 */
export class RunObserver {
	readonly #link: Link;
	readonly #runId: RunId;
	readonly #listener: ObserverListener;
	readonly #open = new Map<number, Question>();

	/** Fails with a system error if no host listens there. */
	static async open(wire: Wire, address: string, runId: RunId, listener: ObserverListener): Promise<RunObserver> {
		return new RunObserver(await wire.connect(address), runId, listener);
	}

	private constructor(link: Link, runId: RunId, listener: ObserverListener) {
		this.#link = link;
		this.#runId = runId;
		this.#listener = listener;
		link.onMessage((message) => this.#hear(message));
		link.onClose(() => listener.onClose());
		this.#send({ type: "observe", runId });
	}

	/** False if the dialog is not open any more. No answer declines the dialog. */
	answer(askId: number, answer: Answer): boolean {
		if (!this.#link.isOpen || !this.#open.delete(askId)) return false;
		this.#send({ type: "answer", runId: this.#runId, askId, ...(answer !== undefined && { answer }) });
		this.#listener.onAsks(this.#open);
		return true;
	}

	/** Closes the connection after everything that was sent has left. */
	close(): void {
		this.#link.close("politely");
	}

	#send(message: ToHost): void {
		this.#link.send(message);
	}

	#hear(message: unknown): void {
		const known = asFromHost(message);
		if (!known || known.type === "pong" || known.runId !== this.#runId) return;
		if (known.type === "progress") this.#listener.onProgress(known.progress);
		if (known.type === "ended") this.close();
		if (known.type !== "ask" && known.type !== "withdrawn") return;
		if (known.type === "ask") this.#open.set(known.askId, known.question);
		else this.#open.delete(known.askId);
		this.#listener.onAsks(this.#open);
	}
}
