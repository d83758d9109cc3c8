import type { Clock } from "../ports/clock.ts";
import type { Link, Listener, Wire } from "../ports/wire.ts";
import { type Answer, asToHost, type OfRun, type Progress, type Question } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";
import { Asks, type Watcher } from "./asks.ts";
import type { Presence } from "./decide-question.ts";

/** The shortest time between two progress messages about a run. */
const PROGRESS_EVERY_MS = 100;

export interface WatchersSetup {
	address: string;
	wire: Wire;
	clock: Clock;
	onWake: () => void;
	/** Something went wrong with the socket while it was open. Watchers still have the ledger. */
	onTrouble: (error: Error) => void;
}

/**
 * The host's socket: which connection watches which run, and what it hears. An observer hears what a watcher hears, sees
 * the questions and may answer one. But it does not count: it does not wake the host, does not keep it from leaving, and is
 * not a user to ask. A connection that has observed once remains an observer.
 */
export class Watchers {
	readonly #setup: WatchersSetup;
	#listener: Listener | undefined;
	#listening: Promise<void> | undefined;
	readonly #watching = new Map<Link, Watching>();
	readonly #asks: Asks;
	/** How to make the latest snapshot of each running run, for watchers that join late. */
	readonly #latest = new Map<RunId, () => Progress>();
	readonly #pending = new Map<RunId, { latest: (() => Progress) | undefined; cancel: () => void }>();

	private constructor(setup: WatchersSetup) {
		this.#setup = setup;
		this.#asks = new Asks(setup.clock);
	}

	static async listen(setup: WatchersSetup): Promise<Watchers> {
		const watchers = new Watchers(setup);
		await watchers.#listen();
		return watchers;
	}

	/** Listens again if something, such as a cleaner of temporary files, has removed the socket's file. */
	listenAgainIfLost(): void {
		if (this.#listening || this.#listener?.isReachable !== false) return;
		// Open connections stay open.
		this.#listener.close();
		this.#listening = this.#listen()
			.catch(this.#setup.onTrouble)
			.finally(() => {
				this.#listening = undefined;
			});
	}

	async #listen(): Promise<void> {
		const { wire, address, onTrouble } = this.#setup;
		this.#listener = await wire.listen(address, (link) => this.#connected(link), onTrouble);
	}

	/**
	 * Whether a connection keeps the host from leaving, because it watches an unfinished run. Parents also keep connections
	 * open without one, so that the next run need not wait for a connection.
	 */
	watchAny(isOpen: (id: RunId) => boolean): boolean {
		return this.#counted().some(({ runs }) => [...runs.keys()].some(isOpen));
	}

	#counted(): Watching[] {
		return [...this.#watching.values()].filter(({ isObserver }) => !isObserver);
	}

	/**
	 * Sends the progress of a run to its watchers, at most ten times a second. Even the first progress waits that long: a
	 * run that has finished by then costs no message, and children of a crowd are set up sooner.
	 */
	progress(runId: RunId, latest: () => Progress): void {
		this.#latest.set(runId, latest);
		if (!this.#isFollowed(runId)) return;
		const pending = this.#pending.get(runId);
		if (pending) pending.latest = latest;
		else this.#pause(runId, latest);
	}

	/** Holds back the progress of this run for a while, and then sends the latest. */
	#pause(runId: RunId, latest?: () => Progress): void {
		if (this.#pending.has(runId)) return;
		const cancel = this.#setup.clock.after(PROGRESS_EVERY_MS, () => {
			const held = this.#pending.get(runId)?.latest;
			this.#pending.delete(runId);
			if (held && this.#isFollowed(runId)) this.#tell({ type: "progress", runId, progress: held() });
		});
		this.#pending.set(runId, { latest, cancel });
	}

	/** Sends a question of a child to the watchers of its run. */
	ask(runId: RunId, question: Question, terms: { patienceMs: number; signal: AbortSignal }): Promise<Answer> {
		const watchers = [...this.#watching.values()].filter(({ runs }) => runs.has(runId));
		return this.#asks.ask(runId, question, { ...terms, watchers });
	}

	/** Whether a user can answer a question of a child. */
	presence(runId: RunId): Presence {
		const watching = this.#counted().flatMap(({ runs }) => runs.get(runId) ?? []);
		if (watching.some(({ user }) => user)) return "user";
		return watching.length > 0 ? "nobody" : "unknown";
	}

	/** Tells the watchers of a run that the ledger has a question of its child. */
	asks(runId: RunId): void {
		this.#tell({ type: "asks", runId });
	}

	started(runId: RunId): void {
		this.#tell({ type: "started", runId });
	}

	/** `isOver`: the run will never be ours again. */
	ended(runId: RunId, isOver = true): void {
		this.#pending.get(runId)?.cancel();
		this.#pending.delete(runId);
		this.#latest.delete(runId);
		this.#tell({ type: "ended", runId });
		if (isOver) for (const { runs } of this.#watching.values()) runs.delete(runId);
	}

	/** False if the socket could not be removed. */
	close(): boolean {
		for (const { cancel } of this.#pending.values()) cancel();
		for (const link of this.#watching.keys()) link.close("politely");
		this.#listener?.close();
		return this.#setup.wire.remove(this.#setup.address);
	}

	#connected(link: Link): void {
		const watching: Watching = { runs: new Map(), isObserver: false, tell: (message) => link.send(message) };
		this.#watching.set(link, watching);
		link.onClose(() => {
			this.#watching.delete(link);
			this.#asks.left(watching);
		});
		link.onMessage((message) => {
			const known = asToHost(message);
			if (!known) return;
			if (known.type === "ping") return watching.tell({ type: "pong" });
			if (known.type === "observe") {
				watching.isObserver = true;
				this.#watches(link, watching, known.runId, { quiet: false, user: false });
			}
			if (known.type === "watch") {
				const { runId, quiet = false, user = false } = known;
				this.#watches(link, watching, runId, { quiet, user });
			}
			if (known.type === "answer") this.#asks.answered(watching, known.askId, known.answer);
			if (known.type === "pass") this.#asks.passed(watching, known.askId);
			if (!watching.isObserver) this.#setup.onWake();
		});
	}

	#watches(link: Link, watching: Watching, runId: RunId, how: { quiet: boolean; user: boolean }): void {
		watching.runs.set(runId, how);
		const latest = how.quiet ? undefined : this.#latest.get(runId);
		if (latest) {
			link.send({ type: "progress", runId, progress: latest() });
			this.#pause(runId);
		}
		this.#asks.joined(watching, runId);
	}

	#isFollowed(runId: RunId): boolean {
		for (const { runs } of this.#watching.values()) if (runs.get(runId)?.quiet === false) return true;
		return false;
	}

	#tell(message: OfRun): void {
		for (const [link, { runs, tell }] of this.#watching) {
			const watched = runs.get(message.runId);
			if (!watched) continue;
			// A watcher that does not read, perhaps because it is suspended, gets no more snapshots: the next one it reads
			// is the latest.
			if (message.type !== "progress" || !(watched.quiet || link.isBehind)) tell(message);
		}
	}
}

/** A connection, and the runs it watches. */
interface Watching extends Watcher {
	isObserver: boolean;
	runs: Map<RunId, { quiet: boolean; user: boolean }>;
}
