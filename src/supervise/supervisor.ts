import type { Ledger } from "../ledger/ledger.ts";
import { type OpenRun, openRunsOf } from "../ledger/open-runs.ts";
import { requestStop } from "../ledger/progress.ts";
import { type EndedRecord, findRunOrClose, type RunRecord } from "../ledger/records.ts";
import { waitsForSession } from "../ledger/sessions.ts";
import type { Reaper } from "../ledger/sweep.ts";
import { LedgerTrouble } from "../ledger/trouble.ts";
import { type Log, NO_LOG } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";
import type { Progress } from "../processes/protocol.ts";
import { createReaper } from "../processes/reaper.ts";
import { recover } from "../processes/recover.ts";
import { type HostId, newRunId, type RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { type AskUser, NOBODY } from "./ask.ts";
import type { HostConnection } from "./connection.ts";
import { hint } from "./hint.ts";
import type { Hosts } from "./hosts.ts";
import { QueuePositions } from "./queue-positions.ts";

/** How often a watcher looks at the ledger when nobody gives it a hint. */
const LOOK_EVERY_MS = 500;
/** The same while its host is starting, which takes a third of a second: it is asked for again until it answers. */
const LOOK_EVERY_MS_AT_START = 20;
/** The same while the ledger cannot be used. */
const LOOK_EVERY_MS_IN_TROUBLE = 2000;

/** Why a run has not started yet. */
export interface Waiting {
	/** How many are served before it. */
	position: number;
	/** An earlier run of the same child session is still at work. */
	sessionBusy: boolean;
}

export interface WatchOptions {
	/** Stops the run. */
	signal?: AbortSignal | undefined;
	/** Who does, asked when it fires. */
	stopper?: () => string;
	/** That is written down. */
	onStopAsked?: () => void;
	onProgress?: (progress: Progress) => void;
	onQueued?: (waiting: Waiting) => void;
	/** Something keeps us from looking after the run. It is tried again. */
	onTrouble?: (message: string) => void;
	/** The run as it is, at each look. */
	onSeen?: (record: RunRecord) => void;
	onAsk?: AskUser;
}

export interface TendOptions {
	/** Runs that somebody waits for. */
	except: ReadonlySet<RunId>;
	onHint: () => void;
	/** One of them cannot be looked after now; the others can. */
	onTrouble?: (error: unknown) => undefined;
	onProgress?: (id: RunId, progress: Progress) => void;
	/** Of which runs it is of interest. */
	followed?: (open: readonly OpenRun[]) => ReadonlySet<RunId>;
	onAsk?: AskUser;
}

export interface SupervisorSetup {
	ledger: Ledger;
	hosts: Hosts;
	ports: Ports;
	log?: Log;
}

/** The parent's side: sees to it that the runs it admitted find a host, and waits for them to end. */
export class Supervisor {
	readonly #ledger: Ledger;
	readonly #positions: QueuePositions;
	readonly #hosts: Hosts;
	readonly #ports: Ports;
	readonly #reaper: Reaper;
	readonly #log: Log;
	/** Runs seen to without anybody waiting, and where. */
	readonly #tended = new Map<RunId, { connection: HostConnection; follows: boolean; unwatch: () => void }>();

	constructor({ ledger, hosts, ports, log = NO_LOG }: SupervisorSetup) {
		this.#ledger = ledger;
		this.#positions = new QueuePositions(ledger, ports.clock);
		this.#hosts = hosts;
		this.#ports = ports;
		this.#reaper = createReaper(ports);
		this.#log = log;
	}

	/** Waits until the run has ended, whoever works on it and however often that changes. */
	async watch(id: RunId, options: WatchOptions = {}): Promise<EndedRecord> {
		const ended = await this.watchUntil(id, new AbortController().signal, options);
		if (!ended) throw new Error(`Nobody waits for run ${id} any more.`);
		return ended;
	}

	/** The same for somebody whose patience may end first: undefined then. The run goes on. */
	async watchUntil(id: RunId, leave: AbortSignal, options: WatchOptions = {}): Promise<EndedRecord | undefined> {
		const { signal } = options;
		const hints = hint(this.#ports.clock);
		let stopper: string | undefined;
		const onAbort = () => {
			stopper = options.stopper?.() ?? "the parent";
			hints.give();
		};
		if (signal?.aborted) onAbort();
		signal?.addEventListener("abort", onAbort, { once: true });
		leave.addEventListener("abort", hints.give, { once: true });
		let watched: HostConnection | undefined;
		let unwatch = () => {};
		let position: number | undefined;
		const look = async (): Promise<Look> => {
			if (stopper !== undefined) {
				// Here and not where the signal fires: what goes wrong there would be nobody's to catch.
				requestStop(this.#ledger, id, { at: this.#ports.clock.now(), by: stopper });
				this.#log.info("stop asked for", { runId: id, by: stopper });
				stopper = undefined;
				options.onStopAsked?.();
				this.wake();
			}
			const trouble = this.#troubleOf(() => this.#recover());
			const record = findRunOrClose(this.#ledger, id, this.#ports.clock.now());
			if (!record) throw new RunForgotten(id);
			options.onSeen?.(record);
			if (record.run.state === "ended") return { ended: { ...record, run: record.run } };
			if (leave.aborted) return { againInMs: LOOK_EVERY_MS };
			// Only now: what is wrong with another run's host must not keep this one's outcome from its caller.
			if (trouble) throw trouble;
			const isQueued = record.run.state === "queued";
			if (isQueued && options.onQueued) {
				const now = this.#positions.of(id);
				if (now !== undefined && now !== position) {
					options.onQueued({ position: now, sessionBusy: waitsForSession(this.#ledger, id) });
				}
				position = now;
			}

			const connection = await this.#hosts.connectionFor(openRun(record));
			if (connection && connection !== watched) {
				unwatch();
				unwatch = connection.watch(id, {
					onProgress: (progress) => options.onProgress?.(progress),
					onHint: hints.give,
					onAsk: async (question, gone) => (options.onAsk ? options.onAsk(id, question, gone) : NOBODY),
				});
				watched = connection;
			} else if (isQueued) {
				// A place in the lane may have become free in a host that knows nothing of ours.
				connection?.wake();
			}
			return { againInMs: this.#hosts.anyStarting && !connection ? LOOK_EVERY_MS_AT_START : LOOK_EVERY_MS };
		};
		try {
			for (;;) {
				const seen = await look().catch((error) => this.#waitOut(id, error, options));
				if ("ended" in seen) return seen.ended;
				if (leave.aborted) return undefined;
				await hints.next(seen.againInMs);
			}
		} finally {
			signal?.removeEventListener("abort", onAbort);
			leave.removeEventListener("abort", hints.give);
			unwatch();
			this.#hosts.closeUnused();
		}
	}

	/**
	 * The run was admitted, so only its ending may answer whoever waits for it: a locked ledger, a full disk or a folder
	 * without permissions may be a matter of minutes, and an error now would be followed by a report later.
	 */
	#waitOut(id: RunId, error: unknown, { onTrouble }: WatchOptions): Look {
		if (!mayPass(error)) throw error;
		this.#log.warn("cannot watch a run, retrying", { runId: id, error });
		onTrouble?.(messageOf(error));
		return { againInMs: LOOK_EVERY_MS_IN_TROUBLE };
	}

	/**
	 * Sees to the runs of a session that nobody waits for: that each has a host, and that `onHint` is called when one has
	 * started or ended. To be called again and again while there are any; answers which there are.
	 */
	async tend(parentSession: string, options: TendOptions): Promise<OpenRun[]> {
		this.#recover();
		const open = openRunsOf(this.#ledger, parentSession).filter(({ id }) => !options.except.has(id));
		const followed = options.followed?.(open);
		const waitedFor = new Set<HostConnection>();
		const byHost = new Map<HostId | undefined, HostConnection>();
		for (const run of open) {
			const connection =
				byHost.get(run.hostId) ??
				(await this.#hosts.connectionFor(run).catch((error: unknown) => options.onTrouble?.(error) ?? undefined));
			if (connection && run.hostId !== undefined) byHost.set(run.hostId, connection);
			const tended = this.#tended.get(run.id);
			if (connection && run.state === "queued") waitedFor.add(connection);
			const follows = followed?.has(run.id) === true;
			if (!connection || (tended?.connection === connection && tended.follows === follows)) continue;
			tended?.unwatch();
			const unwatch = connection.watch(run.id, {
				onProgress: follows ? (progress) => options.onProgress?.(run.id, progress) : undefined,
				onHint: options.onHint,
				onAsk: async (question, gone) => (options.onAsk ? options.onAsk(run.id, question, gone) : NOBODY),
			});
			this.#tended.set(run.id, { connection, follows, unwatch });
		}
		// A place in the lane may have become free in a host that knows nothing of ours.
		for (const connection of waitedFor) connection.wake();
		const stillOpen = new Set(open.map(({ id }) => id));
		for (const [id, { unwatch }] of this.#tended) {
			if (stillOpen.has(id)) continue;
			unwatch();
			this.#tended.delete(id);
		}
		this.#hosts.closeUnused();
		return open;
	}

	/** Looks at the ledger as the first who waits will, so that what that needs is compiled by then. */
	lookAhead(): void {
		this.#recover();
		this.#positions.of(newRunId());
	}

	#troubleOf(work: () => void): Error | undefined {
		try {
			work();
			return undefined;
		} catch (error) {
			if (error instanceof Error) return error;
			throw error;
		}
	}

	#recover(): void {
		recover({ ledger: this.#ledger, log: this.#log, ports: this.#ports, reaper: this.#reaper });
	}

	/** Starts the host that the first run will need, so that it need not wait for it. */
	prepare(): void {
		this.#hosts.prepare();
	}

	/** Hosts look at the ledger at once, instead of at their next heartbeat. */
	wake(): void {
		this.#hosts.wake();
	}

	/** Lets go of all sockets. Runs go on without us. */
	dispose(): void {
		this.#hosts.dispose();
	}
}

type Look = { ended: EndedRecord } | { againInMs: number };

/** The ledger does not know the run any more: a damaged one was replaced. No ending will ever be recorded. */
class RunForgotten extends Error {
	override name = "RunForgotten";
	constructor(id: RunId) {
		super(`Run ${id} is not in the ledger any more, so its outcome is unknown.`);
	}
}

/** The system's errors may. A damaged ledger is replaced by one that does not know the run; the rest is a bug of ours. */
function mayPass(error: unknown): boolean {
	if (error instanceof LedgerTrouble) return error.kind !== "damaged";
	return error instanceof Error && "code" in error;
}

export function openRun({ run, profile }: RunRecord): OpenRun {
	if (run.state === "ended") throw new Error(`Run ${run.id} has ended.`);
	const { id, state } = run;
	return run.state === "running" ? { id, state, profile, hostId: run.hostId } : { id, state, profile };
}
