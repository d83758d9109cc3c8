import { setTimeout as sleep } from "node:timers/promises";
import type { RunId } from "../run/ids.ts";

/** How long to wait for the stops. If the ledger is locked for longer, the runs continue, and are reported later. */
const WRITTEN_WITHIN_MS = 1000;

/** A call that waits for a run. */
export class WaitingCall {
	readonly #leave = new AbortController();
	readonly #written = Promise.withResolvers<void>();
	/** Its run, once there is one. */
	runId: RunId | undefined;

	/** Fires when the run continues without the call. */
	get leave(): AbortSignal {
		return this.#leave.signal;
	}

	/** Resolves when the stop of its run is recorded, or the call no longer waits. */
	get stopWritten(): Promise<void> {
		return this.#written.promise;
	}

	writtenDown(): void {
		this.#written.resolve();
	}

	/** The ledger says that the run continues in the background, so the call stops waiting. */
	leaveRun(): void {
		this.#leave.abort();
	}
}

/** The calls that wait for a run. When the session ends, they end and stop their runs. */
export class WaitingCalls {
	readonly #ended = new AbortController();
	readonly #open = new Set<WaitingCall>();

	/** Fires when the session ends. pi's own signal for tools comes too late to record anything. */
	get ended(): AbortSignal {
		return this.#ended.signal;
	}

	get open(): readonly WaitingCall[] {
		return [...this.#open];
	}

	begin(): WaitingCall {
		const call = new WaitingCall();
		this.#open.add(call);
		return call;
	}

	/** The call no longer waits. */
	finish(call: WaitingCall): void {
		this.#open.delete(call);
		call.writtenDown();
	}

	/** Resolves when all stops are recorded: pi may exit right after. */
	async end(): Promise<void> {
		this.#ended.abort();
		const written = Promise.all(this.open.map(({ stopWritten }) => stopWritten));
		await Promise.race([written, sleep(WRITTEN_WITHIN_MS, undefined, { ref: false })]);
	}
}
