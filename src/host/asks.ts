import type { Clock } from "../ports/clock.ts";
import type { Answer, FromHost, Question } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";

/** A connection that watches runs. It may have a user to ask, or not. */
export interface Watcher {
	/** An observer sees the questions and may answer one, but no question waits for it. */
	readonly isObserver?: boolean;
	tell(message: FromHost): void;
}

/** How a question is asked. */
export interface Terms {
	/** The connections that watch the run now. */
	watchers: Iterable<Watcher>;
	/** How long to wait for the first watcher, if there is none yet. */
	patienceMs: number;
	/** Aborted when the question is obsolete: its run has finished, or the child has given up. */
	signal: AbortSignal;
}

interface OpenAsk {
	runId: RunId;
	question: Question;
	/** The watchers that show it and have not passed. */
	asked: Set<Watcher>;
	/** Observers may answer too, but the question does not wait for them. */
	observers: Set<Watcher>;
	/** No watcher has come yet, but one still may. */
	awaitsWatcher: boolean;
	settle(answer: Answer): void;
}

/**
 * The questions of children, sent to every watcher of their run. The first answer counts, and the other watchers are told
 * to close their dialogs. A question that no watcher can answer any more is declined, so that no run waits forever.
 */
export class Asks {
	readonly #clock: Clock;
	readonly #open = new Map<number, OpenAsk>();
	#nextId = 1;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Resolves with the user's answer; undefined if the user declined, or no user was there. */
	async ask(runId: RunId, question: Question, { watchers, patienceMs, signal }: Terms): Promise<Answer> {
		if (signal.aborted) return undefined;
		const askId = this.#nextId++;
		const { promise, resolve } = Promise.withResolvers<Answer>();
		const settle = (answer: Answer) => {
			this.#open.delete(askId); // First: a watcher that joins right now must not be asked.
			resolve(answer);
		};
		const ask: OpenAsk = { runId, question, asked: new Set(), observers: new Set(), awaitsWatcher: true, settle };
		this.#open.set(askId, ask);
		for (const watcher of watchers) put(askId, ask, watcher);
		const stopWaiting = this.#clock.after(patienceMs, () => {
			ask.awaitsWatcher = false;
			declineIfAlone(ask);
		});
		const withdraw = () => settle(undefined);
		signal.addEventListener("abort", withdraw, { once: true });
		try {
			return await promise;
		} finally {
			stopWaiting();
			signal.removeEventListener("abort", withdraw);
			for (const watcher of [...ask.asked, ...ask.observers]) watcher.tell({ type: "withdrawn", runId, askId });
		}
	}

	answered(by: Watcher, askId: number, answer: Answer): void {
		const ask = this.#open.get(askId);
		// Only watchers that were asked may answer: an answer may come after its watcher passed, or be forged.
		if (ask?.asked.delete(by) || ask?.observers.delete(by)) ask.settle(answer);
	}

	/** This connection has no user who can answer. */
	passed(by: Watcher, askId: number): void {
		const ask = this.#open.get(askId);
		if (ask?.asked.delete(by)) declineIfAlone(ask);
	}

	/** A watcher joined a run, which may have a question open. */
	joined(watcher: Watcher, runId: RunId): void {
		for (const [askId, ask] of this.#open) {
			if (ask.runId === runId && !ask.asked.has(watcher) && !ask.observers.has(watcher)) put(askId, ask, watcher);
		}
	}

	left(watcher: Watcher): void {
		for (const ask of this.#open.values()) {
			ask.observers.delete(watcher);
			if (ask.asked.delete(watcher)) declineIfAlone(ask);
		}
	}
}

function put(askId: number, ask: OpenAsk, watcher: Watcher): void {
	if (watcher.isObserver) ask.observers.add(watcher);
	else {
		ask.asked.add(watcher);
		ask.awaitsWatcher = false;
	}
	watcher.tell({ type: "ask", runId: ask.runId, askId, question: ask.question });
}

function declineIfAlone(ask: OpenAsk): void {
	if (ask.asked.size === 0 && !ask.awaitsWatcher) ask.settle(undefined);
}
