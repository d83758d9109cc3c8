import type { Ledger } from "../ledger/ledger.ts";
import { type OpenRun, openRunsOf } from "../ledger/open-runs.ts";
import { isOfPool } from "../ledger/profile-key.ts";
import { requestStop } from "../ledger/progress.ts";
import { type EndedRecord, findRunOrClose, type RunRecord } from "../ledger/records.ts";
import type { Reaper } from "../ledger/sweep.ts";
import { LedgerTrouble } from "../ledger/trouble.ts";
import { type Log, NO_LOG } from "../log/log.ts";
import { Loop } from "../ports/loop.ts";
import type { Ports } from "../ports/ports.ts";
import { createReaper } from "../processes/reaper.ts";
import { recover } from "../processes/recover.ts";
import { StopHooks } from "../processes/stop-hooks.ts";
import { newRunId, type RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { type Acting, actOnRun, type FoundRuns } from "./act.ts";
import { type AttendedSession, Calls, type Leaving, type WatchOptions } from "./calls.ts";
import { decideRuns, LOOK_EVERY_MS_IN_TROUBLE, lookAgainIn, type SeenRun } from "./decide.ts";
import type { RingedPlan } from "./host-profiles.ts";
import type { Hosts } from "./hosts.ts";
import { QueuePositions } from "./queue-positions.ts";
import { WatchedRuns } from "./watched-runs.ts";

export interface SupervisorSetup {
	ledger: Ledger;
	/** Left out where no pi can be a host: other processes then have to work on the runs. */
	hosts?: Hosts | undefined;
	ports: Ports;
	log?: Log;
	/** A run ended without a host, and this process recorded its outcome. */
	onEndedHere?: ((id: RunId) => void) | undefined;
}

/** By then the request that carries the answer is on its way. */
const LOOK_AFTER_ANSWER_MS = 20;

/** What one look at the ledger found. */
interface Seen extends FoundRuns {
	runs: Map<RunId, SeenRun>;
	/** The open runs of the session that pi has open. */
	ofSession: OpenRun[];
}

/**
 * The loop of a parent. It makes sure that every run has a host, answers the callers that await one, and reports the other
 * runs to the session that pi has open. A foreground run is one that a call awaits; nothing else differs.
 */
export class Supervisor {
	readonly #ledger: Ledger;
	readonly #positions: QueuePositions;
	readonly #hosts: Hosts | undefined;
	readonly #ports: Ports;
	readonly #reaper: Reaper;
	readonly #log: Log;
	readonly #onEndedHere: SupervisorSetup["onEndedHere"];
	readonly #calls = new Calls();
	readonly #watched: WatchedRuns;
	readonly #stopHooks: StopHooks;
	readonly #loop: Loop;
	readonly #acting: Acting;
	#session: AttendedSession | undefined;
	/** Whether the last look postponed the session to the next one. */
	#isSessionDue = false;

	constructor({ ledger, hosts, ports, log = NO_LOG, onEndedHere }: SupervisorSetup) {
		this.#ledger = ledger;
		this.#positions = new QueuePositions(ledger, ports.clock);
		this.#hosts = hosts;
		this.#ports = ports;
		this.#reaper = createReaper(ports);
		this.#log = log;
		this.#onEndedHere = onEndedHere;
		this.#stopHooks = new StopHooks({ ledger, log, ports });
		this.#loop = new Loop(ports.clock, () => this.#look());
		this.#watched = new WatchedRuns(this.#calls, this.#loop.hint);
		this.#acting = { ledger, hosts, calls: this.#calls, watched: this.#watched };
		if (hosts) hosts.onReached = this.#loop.hint;
	}

	/**
	 * Waits until the run has finished, in any host. A caller that passes `leave` may stop waiting earlier: it gets
	 * undefined then, and the run continues.
	 */
	watch(id: RunId, options: WatchOptions & Leaving): Promise<EndedRecord | undefined>;
	watch(id: RunId, options?: WatchOptions): Promise<EndedRecord>;
	watch(id: RunId, options: WatchOptions & Partial<Leaving> = {}): Promise<EndedRecord | undefined> {
		return this.#calls.add(id, options, this.#loop.hint);
	}

	/** Waits until a host knows of the run, or the run has finished. False if neither happens in time. */
	async awaitHost(id: RunId, withinMs: number): Promise<boolean> {
		const enough = new AbortController();
		const cancel = this.#ports.clock.after(withinMs, () => enough.abort());
		let hasHeard = false;
		const onReached: WatchOptions["onReached"] = async (connection) => {
			connection.wake();
			hasHeard = await connection.answers(withinMs);
			if (hasHeard) enough.abort();
		};
		const ended = await this.watch(id, { leave: enough.signal, onReached });
		cancel();
		return hasHeard || ended !== undefined;
	}

	/** Attends to all runs of the session that pi has open, until pi leaves it. */
	attend(session: AttendedSession): void {
		this.#session = session;
		this.#loop.hint();
	}

	/** Stops attending to the session. Its runs continue, and their results wait until it is opened again. */
	leave(): void {
		this.#session = undefined;
		this.#loop.hint();
	}

	/** Something may have changed that the loop should see. */
	hint(): void {
		this.#loop.hint();
	}

	/** Looks at the ledger as the first caller will, so that the code for it is compiled when that caller comes. */
	lookAhead(): void {
		this.#recover();
		this.#positions.of(newRunId());
	}

	/** Starts the host that such a run will need, ahead of time, so that the run need not wait for the host. */
	prepare(plan: RingedPlan): void {
		this.#hosts?.prepare(plan);
	}

	/** Makes the hosts look at the ledger at once, instead of at their next heartbeat. */
	wake(): void {
		this.#hosts?.wake();
	}

	/** Closes all sockets. Runs continue without us. */
	dispose(): void {
		this.#loop.end();
		this.#hosts?.dispose();
	}

	#look(): number | undefined {
		let isInTrouble = false;
		const troubled = (error: unknown, runId?: RunId) => {
			isInTrouble = true;
			this.#waitOut(error, runId);
		};
		let again: number | undefined;
		try {
			this.#requestStops();
			let unrecovered: unknown;
			this.#orElse(
				() => this.#recover(),
				(error) => {
					unrecovered = error;
				},
			);
			const seen = this.#see();
			const decided = decideRuns({ callers: this.#calls.callers, watched: this.#watched.ids }, seen.runs);
			this.#calls.keep(decided.state.callers);
			this.#watched.begin(this.#session, seen.ofSession);
			for (const action of decided.actions) {
				const runId = "runId" in action ? action.runId : action.caller.runId;
				this.#orElse(
					() => actOnRun(this.#acting, action, seen),
					(error) => troubled(error, runId),
				);
			}
			this.#watched.wakeHosts();
			// Last: trouble with the host of one run must not keep an outcome from the caller of another.
			if (unrecovered !== undefined) troubled(unrecovered);
			// A caller that got its answer continues before this process looks at anything else, but not twice in a row.
			const answered = decided.actions.some((action) => action.do === "answer");
			this.#isSessionDue = this.#session !== undefined && answered && !this.#isSessionDue;
			if (this.#isSessionDue) again = LOOK_AFTER_ANSWER_MS;
			else again = this.#session && this.#lookAt(this.#session, seen.ofSession, isInTrouble);
			this.#hosts?.closeUnused();
		} catch (error) {
			troubled(error);
		}
		const anyCaller = !this.#calls.isEmpty;
		const startingForMs = this.#watched.isComplete ? undefined : this.#hosts?.startingForMs;
		isInTrouble &&= anyCaller || this.#session !== undefined;
		return soonest(again, lookAgainIn({ anyCaller, isInTrouble, startingForMs }));
	}

	/** Trouble with a session's deliveries must not keep its calls from their answers. */
	#lookAt(session: AttendedSession, open: readonly OpenRun[], isInTrouble: boolean): number | undefined {
		try {
			return session.look(open, isInTrouble);
		} catch (error) {
			session.onTrouble(error);
			return LOOK_EVERY_MS_IN_TROUBLE;
		}
	}

	#orElse(work: () => void, onTrouble: (error: unknown) => void): void {
		try {
			work();
		} catch (error) {
			onTrouble(error);
		}
	}

	/** Done by the loop and not where the signal fires, because an error there could not be caught. */
	#requestStops(): void {
		for (const call of this.#calls.toStop) {
			const { runId, stopBy: by = "the parent" } = call;
			requestStop(this.#ledger, runId, { at: this.#ports.clock.now(), by });
			this.#log.info("stop requested", { runId, by });
			call.stopBy = undefined;
			call.options.onStopRequested?.();
			this.wake();
		}
	}

	#recover(): void {
		const recovery = { ledger: this.#ledger, log: this.#log, ports: this.#ports, reaper: this.#reaper };
		for (const ended of recover(recovery)) this.#onEndedHere?.(ended);
		// Hosts run most stop hooks themselves. The remaining ones belong to runs that ended without a host, or whose host
		// has died since.
		this.#stopHooks.begin();
	}

	#see(): Seen {
		const at = this.#ports.clock.now();
		const ofSession = this.#session ? openRunsOf(this.#ledger, this.#session.id, at) : [];
		const open = new Map(ofSession.map((run) => [run.id, run]));
		const ended = new Map<RunId, EndedRecord>();
		const runs = new Map<RunId, SeenRun>(ofSession.map(({ id, state }) => [id, { state, ofSession: true }]));
		for (const runId of this.#calls.awaited) {
			const record = open.has(runId) ? undefined : findRunOrClose(this.#ledger, runId, at);
			if (record?.run.state === "ended") {
				ended.set(runId, { ...record, run: record.run });
				runs.set(runId, { state: "ended", ofSession: false });
			} else if (record) {
				open.set(runId, openRun(record));
				runs.set(runId, { state: record.run.state, ofSession: false });
			}
			const run = runs.get(runId);
			const wantsPlace = this.#calls.of(runId).some(({ options }) => options.onQueued);
			if (run?.state === "queued" && wantsPlace) runs.set(runId, { ...run, place: this.#placeOf(open.get(runId)) });
		}
		return { runs, open, ended, ofSession };
	}

	/** No run is ahead of one in a pool: it waits at most for its session, and then for a worker. */
	#placeOf(run: OpenRun | undefined): number | undefined {
		if (run && isOfPool(run.profile)) return 0;
		return run && this.#positions.of(run.id);
	}

	/**
	 * The runs were admitted, so only their endings may answer their callers. A locked ledger, a full disk or missing
	 * permissions may pass within minutes, and an error now would be followed by a report later.
	 */
	#waitOut(error: unknown, runId?: RunId): void {
		const concerned = runId === undefined ? this.#calls.all : this.#calls.of(runId);
		if (concerned.length > 0) this.#log.warn("cannot watch a run, retrying", { runId, error });
		for (const { id, options } of concerned) {
			if (mayPass(error)) options.onTrouble?.(messageOf(error));
			else this.#calls.fail(id, error);
		}
		if (runId === undefined || concerned.length === 0) this.#session?.onTrouble(error);
	}
}

function soonest(first: number | undefined, second: number | undefined): number | undefined {
	if (first === undefined || second === undefined) return first ?? second;
	return Math.min(first, second);
}

/**
 * Errors of the system may pass. A damaged ledger does not: the one that replaces it does not have the run. Anything else
 * is a bug of ours.
 */
function mayPass(error: unknown): boolean {
	if (error instanceof LedgerTrouble) return error.kind !== "damaged";
	return error instanceof Error && "code" in error;
}

function openRun({ run, profile }: RunRecord): OpenRun {
	if (run.state === "ended") throw new Error(`Run ${run.id} has finished.`);
	const { id, state } = run;
	return run.state === "running" ? { id, state, profile, hostId: run.hostId } : { id, state, profile };
}
