import type { Ports } from "../ports/ports.ts";
import type { Link } from "../ports/wire.ts";
import {
	type Answer,
	asFromHost,
	type FromHost,
	type Progress,
	type Question,
	type ToHost,
} from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";
import { NO_USER } from "./ask.ts";

/** What a watcher of a run hears. All of it is a hint. */
export interface WatchListener {
	/** Whether a user is here to answer questions of the child. */
	hasUser: boolean;
	/** Left out by watchers that only need to know when the run starts and ends. */
	onProgress?: ((progress: Progress) => void) | undefined;
	/** Something happened: look at the ledger. */
	onHint(): void;
	/** An extension of the child asks the user something. The signal fires when the question needs no answer any more. */
	onAsk(question: Question, signal: AbortSignal): Promise<Answer | typeof NO_USER>;
}

/** These messages only say that there is something new in the ledger. */
const HINTS_ONLY: ReadonlySet<FromHost["type"]> = new Set(["started", "ended", "asks"]);

/** A connection to a host, shared by all watchers of its runs in this process. */
export class HostConnection {
	readonly #link: Link;
	readonly #clock: Ports["clock"];
	/** In the order of arrival. Several tool calls may wait for one run. */
	readonly #listeners = new Map<RunId, WatchListener[]>();
	/** The questions that the user sees now. */
	readonly #asked = new Map<number, AbortController>();
	readonly #pinged = new Set<(answered: boolean) => void>();
	#unusedSince: number;

	private constructor(link: Link, { clock }: Ports) {
		this.#link = link;
		this.#clock = clock;
		this.#unusedSince = clock.elapsed();
		link.onMessage((message) => this.#take(message));
		link.onClose(() => {
			for (const asked of this.#asked.values()) asked.abort();
			for (const answered of this.#pinged) answered(false);
			for (const listener of [...this.#listeners.values()].flat()) listener.onHint();
		});
	}

	/** Fails if no process listens there (yet, or any more). */
	static async open(address: string, ports: Ports): Promise<HostConnection> {
		return new HostConnection(await ports.wire.connect(address), ports);
	}

	get isOpen(): boolean {
		return this.#link.isOpen;
	}

	/** How long it has had no listeners. */
	get unusedForMs(): number {
		return this.#listeners.size > 0 ? 0 : this.#clock.elapsed() - this.#unusedSince;
	}

	/** Returns a function that ends the watching. */
	watch(runId: RunId, listener: WatchListener): () => void {
		const all = [...this.#listenersOf(runId), listener];
		this.#listeners.set(runId, all);
		const [quiet, user] = [all.every(({ onProgress }) => !onProgress), all.some(({ hasUser }) => hasUser)];
		this.#send({ type: "watch", runId, quiet, user });
		return () => {
			const others = this.#listenersOf(runId).filter((other) => other !== listener);
			if (others.length > 0) this.#listeners.set(runId, others);
			else this.#listeners.delete(runId);
			this.#unusedSince = this.#clock.elapsed();
		};
	}

	wake(): void {
		this.#send({ type: "wake" });
	}

	/** Whether the host answers in time. A host whose event loop is blocked does not. */
	async answers(withinMs: number): Promise<boolean> {
		const { promise, resolve } = Promise.withResolvers<boolean>();
		this.#pinged.add(resolve);
		const no = () => resolve(false);
		const cancel = this.#clock.after(withinMs, no);
		this.#send({ type: "ping" });
		const answer = await promise;
		cancel();
		this.#pinged.delete(resolve);
		return answer;
	}

	close(): void {
		this.#link.close();
	}

	#send(message: ToHost): void {
		this.#link.send(message);
	}

	#take(message: unknown): void {
		const known = asFromHost(message);
		if (!known) return;
		if (known.type === "pong") {
			for (const answered of this.#pinged) answered(true);
			return;
		}
		const listeners = this.#listenersOf(known.runId);
		if (known.type === "progress") for (const listener of listeners) listener.onProgress?.(known.progress);
		if (HINTS_ONLY.has(known.type)) for (const listener of listeners) listener.onHint();
		// All listeners have the same user, who is asked once.
		if (known.type === "ask") void this.#ask(known, listeners[0]);
		if (known.type === "withdrawn") this.#asked.get(known.askId)?.abort();
	}

	#listenersOf(runId: RunId): WatchListener[] {
		return this.#listeners.get(runId) ?? [];
	}

	async #ask({ runId, askId, question }: Extract<FromHost, { type: "ask" }>, listener: WatchListener | undefined) {
		const gone = new AbortController();
		this.#asked.set(askId, gone);
		// A dialog may fail to open in a session that was just left. It then has no user to answer it.
		const answer = await listener?.onAsk(question, gone.signal).catch((): typeof NO_USER => NO_USER);
		this.#asked.delete(askId);
		if (gone.signal.aborted) return;
		if (listener === undefined || answer === NO_USER) this.#send({ type: "pass", runId, askId });
		else this.#send({ type: "answer", runId, askId, answer });
	}
}
