import type { OpenRun } from "../ledger/open-runs.ts";
import type { Progress } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";
import { type AskUser, NO_USER } from "./ask.ts";
import type { AttendedSession, Calls } from "./calls.ts";
import type { HostConnection } from "./connection.ts";

interface Watch {
	connection: HostConnection;
	/** Whether it receives the progress of the run. */
	follows: boolean;
	hasUser: boolean;
	end: () => void;
}

/** The runs that this process listens to, each at the host that works on it, or that should. */
export class WatchedRuns {
	readonly #calls: Calls;
	readonly #hint: () => void;
	readonly #watches = new Map<RunId, Watch>();
	#session: AttendedSession | undefined;
	#followed: ReadonlySet<RunId> = new Set();
	#ofSession: ReadonlySet<RunId> = new Set();
	/** The hosts of queued runs, which may not know of the run although there is a place for it. */
	readonly #toWake = new Set<HostConnection>();
	#missing = 0;

	constructor(calls: Calls, hint: () => void) {
		this.#calls = calls;
		this.#hint = hint;
	}

	get ids(): ReadonlySet<RunId> {
		return new Set(this.#watches.keys());
	}

	has(id: RunId): boolean {
		return this.#watches.has(id);
	}

	/** Whether each run of this look has a connection. */
	get isComplete(): boolean {
		return this.#missing === 0;
	}

	/** Begins a look. Besides the callers, the session hears about its open runs, and the progress of some of them. */
	begin(session: AttendedSession | undefined, open: readonly OpenRun[]): void {
		this.#session = session;
		this.#followed = session?.followed(open) ?? new Set();
		this.#ofSession = new Set(open.map(({ id }) => id));
		this.#missing = 0;
	}

	listen({ id, state }: OpenRun, connection: HostConnection | undefined): void {
		if (!connection) {
			this.#missing++;
			return;
		}
		const follows = this.#isFollowed(id);
		const hasUser = this.#session?.hasUser === true && this.#ofSession.has(id);
		const known = this.#watches.get(id);
		if (known?.connection !== connection || known.follows !== follows || known.hasUser !== hasUser) {
			known?.end();
			const end = connection.watch(id, {
				onProgress: follows ? (progress) => this.#heard(id, progress) : undefined,
				hasUser,
				onHint: this.#hint,
				onAsk: async (question, gone) => this.#asked(id)?.(id, question, gone) ?? NO_USER,
			});
			this.#watches.set(id, { connection, follows, hasUser, end });
		} else if (state === "queued") this.#toWake.add(connection);
		this.#calls.reached(id, connection);
	}

	end(id: RunId): void {
		this.#watches.get(id)?.end();
		this.#watches.delete(id);
	}

	wakeHosts(): void {
		for (const connection of this.#toWake) connection.wake();
		this.#toWake.clear();
	}

	#isFollowed(id: RunId): boolean {
		return this.#followed.has(id) || this.#calls.of(id).some(({ options }) => options.onProgress);
	}

	#heard(id: RunId, progress: Progress): void {
		for (const { options } of this.#calls.of(id)) options.onProgress?.(progress);
		if (this.#followed.has(id)) this.#session?.heard(id, progress);
	}

	/** Callers and session have the same user, who is asked once. */
	#asked(id: RunId): AskUser | undefined {
		return this.#calls.of(id).find(({ options }) => options.onAsk)?.options.onAsk ?? this.#session?.onAsk;
	}
}
