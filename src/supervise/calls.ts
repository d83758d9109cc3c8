import type { OpenRun } from "../ledger/open-runs.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { Progress } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";
import type { AskUser } from "./ask.ts";
import type { HostConnection } from "./connection.ts";
import type { Caller } from "./decide.ts";

/** Why a run has not started yet. */
export interface WhyQueued {
	/** How many runs are ahead of it. */
	position: number;
	/** An earlier run of the same child session has not finished. */
	sessionBusy: boolean;
	/** There is a place for it in the lane: it only waits for its host. */
	starting: boolean;
}

export interface WatchOptions {
	/** Stops the run. */
	signal?: AbortSignal | undefined;
	/** Names the requester of the stop. Called when the signal fires. */
	stopper?: () => string;
	/** The stop request is in the ledger. */
	onStopRequested?: () => void;
	onProgress?: (progress: Progress) => void;
	onQueued?: (waiting: WhyQueued) => void;
	/** Something keeps this process from watching the run. The loop tries again. */
	onTrouble?: (message: string) => void;
	/** There is a connection to the host that works on the run, or that should. */
	onReached?: (connection: HostConnection) => void;
	onAsk?: AskUser;
}

export interface Leaving {
	/** Ends the waiting, not the run. */
	leave: AbortSignal;
}

/** What the loop needs of the session that pi has open. */
export interface AttendedSession {
	readonly id: string;
	/** Receives its open runs. Returns the milliseconds until the next look; undefined: only a hint brings one. */
	look(open: readonly OpenRun[], isInTrouble: boolean): number | undefined;
	/** The runs whose progress is wanted. */
	followed(open: readonly OpenRun[]): ReadonlySet<RunId>;
	heard(id: RunId, progress: Progress): void;
	onAsk: AskUser;
	/** Whether there is a user here who can be asked. */
	readonly hasUser: boolean;
	onTrouble(error: unknown): void;
}

/** A call that awaits a run. */
export interface AwaitedCall {
	readonly id: number;
	readonly runId: RunId;
	readonly options: WatchOptions;
	/** Who wants the run stopped, until the ledger has the request. */
	stopBy?: string | undefined;
	/** The connection that was last reported to the caller. */
	reached?: HostConnection;
	resolve(ended: EndedRecord | undefined): void;
	reject(error: unknown): void;
}

/** The calls in this process that await a run. */
export class Calls {
	readonly #calls = new Map<number, AwaitedCall>();
	readonly #byRun = new Map<RunId, AwaitedCall[]>();
	#callers: readonly Caller[] = [];
	#count = 0;

	get callers(): readonly Caller[] {
		return this.#callers;
	}

	/** Keeps the callers that still wait, with the latest decision about each. The others have got their answers. */
	keep(callers: readonly Caller[]): void {
		this.#callers = callers;
	}

	get isEmpty(): boolean {
		return this.#calls.size === 0;
	}

	get awaited(): RunId[] {
		return [...this.#byRun.keys()];
	}

	get all(): AwaitedCall[] {
		return [...this.#calls.values()];
	}

	get toStop(): AwaitedCall[] {
		return this.all.filter(({ stopBy }) => stopBy !== undefined);
	}

	of(runId: RunId): readonly AwaitedCall[] {
		return this.#byRun.get(runId) ?? [];
	}

	options(id: number): WatchOptions | undefined {
		return this.#calls.get(id)?.options;
	}

	/** Tells each caller that awaits the run, once per connection, that there is a connection to the run's host. */
	reached(runId: RunId, connection: HostConnection): void {
		for (const call of this.of(runId)) {
			if (call.reached !== connection) call.options.onReached?.(connection);
			call.reached = connection;
		}
	}

	/** `onChange` is called when the call begins, leaves, or wants the run stopped. */
	async add(
		runId: RunId,
		options: WatchOptions & Partial<Leaving>,
		onChange: () => void,
	): Promise<EndedRecord | undefined> {
		const id = ++this.#count;
		const { promise, resolve, reject } = Promise.withResolvers<EndedRecord | undefined>();
		const call: AwaitedCall = { id, runId, options, resolve, reject };
		this.#calls.set(id, call);
		this.#byRun.set(runId, [...this.of(runId), call]);
		this.#callers = [...this.#callers, { id, runId, hasLeft: false }];
		const { signal, leave } = options;
		const onStop = () => {
			call.stopBy = options.stopper?.() ?? "the parent";
			onChange();
		};
		const onLeave = () => {
			this.#callers = this.#callers.map((caller) => (caller.id === id ? { ...caller, hasLeft: true } : caller));
			onChange();
		};
		if (signal?.aborted) onStop();
		if (leave?.aborted) onLeave();
		signal?.addEventListener("abort", onStop, { once: true });
		leave?.addEventListener("abort", onLeave, { once: true });
		onChange();
		try {
			return await promise;
		} finally {
			signal?.removeEventListener("abort", onStop);
			leave?.removeEventListener("abort", onLeave);
		}
	}

	answer(id: number, ended: EndedRecord | undefined): void {
		this.#remove(id)?.resolve(ended);
	}

	fail(id: number, error: unknown): void {
		this.#remove(id)?.reject(error);
	}

	#remove(id: number): AwaitedCall | undefined {
		const call = this.#calls.get(id);
		if (!call) return undefined;
		this.#calls.delete(id);
		const others = this.of(call.runId).filter((other) => other !== call);
		if (others.length > 0) this.#byRun.set(call.runId, others);
		else this.#byRun.delete(call.runId);
		this.#callers = this.#callers.filter((caller) => caller.id !== id);
		return call;
	}
}
