import type { ClaimedRun, startWork, Work, WorkServices } from "../child/work.ts";
import { outcomeWithoutHost } from "../collect/outcome.ts";
import { claimRuns } from "../ledger/claim.ts";
import { closeHost, hostGone, leaveIfIdle } from "../ledger/hosts.ts";
import { messageTaken, waitingMessages } from "../ledger/inbox.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Places } from "../ledger/places.ts";
import { beginAttempt, heldRuns, recordTurn, usageOfParent } from "../ledger/progress.ts";
import type { Reaper } from "../ledger/sweep.ts";
import { LedgerTrouble } from "../ledger/trouble.ts";
import type { Log } from "../log/log.ts";
import { rotateLog } from "../log/log-file.ts";
import { USED_A_TOOL } from "../log/tool-uses.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import type { Ports } from "../ports/ports.ts";
import { archiveDue, tidyUp } from "../processes/housekeeping.ts";
import { HEARTBEAT_MS, LEASE_MS } from "../processes/lease.ts";
import { createReaper } from "../processes/reaper.ts";
import { recover } from "../processes/recover.ts";
import type { HostId, RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { HostLease } from "./host-lease.ts";
import { PendingOutcomes } from "./pending-outcomes.ts";
import { SharedLook } from "./shared-look.ts";
import { Watchers } from "./watchers.ts";

/** How many runs it claims in one go. */
const AT_MOST = 250;
/** How long after a claim somebody may still come to watch the run: a parent looks for a new host once a second. */
const WATCHED_WITHIN_MS = 2000;

export interface HostSetup {
	id: HostId;
	profile: string;
	/** Serves one run and leaves right after it. */
	forOneRun: boolean;
	socket: string;
	idleMs: number;
	ledger: Ledger;
	log: Log;
	places: Places;
	ports: Ports;
	/** As the user has it now; undefined if that cannot be told, and so nothing is to be removed. */
	retentionDays(): number | undefined;
	/** To be done once, if there is time for it before the first run. */
	warmUp(isIdle: () => boolean): Promise<unknown>;
	/** Begins the work on a claimed run. */
	startWork: typeof startWork;
	childServices(
		plan: Pick<LaunchPlan, "principal" | "cwd">,
	): Pick<WorkServices, "agentDir" | "openModels" | "redactor" | "ui">;
}

interface ActiveRun {
	record: ClaimedRun;
	work: Work;
	/** False once it was taken away: then nothing of what we know of it may be written. */
	ours: boolean;
	/** Said once, and asked for at every look. */
	stopping: boolean;
}

/** A host at work: claims runs, works on them, and leaves when nobody has needed it for a while. */
export class Host {
	readonly #setup: HostSetup;
	readonly #active = new Map<RunId, ActiveRun>();
	readonly #pendingOutcomes: PendingOutcomes;
	readonly #over = Promise.withResolvers<void>();
	readonly #reaper: Reaper;
	readonly #lease: HostLease;
	readonly #sharedLook: SharedLook;
	#watchers: Watchers | undefined;
	#cancelHeartbeat: (() => void) | undefined;
	#idleSince: number;
	#closing = false;
	/** One that had none has nothing to tidy up. */
	#hadRuns = false;

	constructor(setup: HostSetup) {
		this.#setup = setup;
		this.#idleSince = setup.ports.clock.elapsed();
		this.#sharedLook = new SharedLook(setup.ports.clock, () => {
			if (this.#cancelHeartbeat) this.#look();
		});
		this.#reaper = createReaper(setup.ports, setup.id);
		this.#pendingOutcomes = new PendingOutcomes(setup);
		this.#lease = new HostLease(setup, () => this.#vanish());
	}

	/** Resolves when the host has left. */
	async serve(): Promise<void> {
		const { socket, log, ports } = this.#setup;
		this.#watchers = await Watchers.listen({
			address: socket,
			...ports,
			onWake: () => this.#sharedLook.soon(),
			onTrouble: (error) => log.warn("trouble with the socket", { error }),
		});
		if (!this.#lease.take()) {
			log.warn("not expected any more, leaving");
			return this.#watchers.close();
		}
		log.info("ready");
		this.#awaitHeartbeat();
		this.#look();
		if (this.#active.size === 0) {
			// Not waited for: a host that is to leave meanwhile leaves.
			void this.#setup.warmUp(() => this.#active.size === 0).catch((error) => log.warn("could not warm up", { error }));
		}
		await this.#over.promise;
	}

	/** The process is being ended from outside: lets go of everything, so that another host can go on at once. */
	abandon(): void {
		// What has ended need not be done again.
		this.#orLog("endings", undefined, () => this.#record());
		if (this.#leave()) this.#lease.giveUp();
	}

	#awaitHeartbeat(): void {
		this.#cancelHeartbeat = this.#setup.ports.clock.after(Math.min(HEARTBEAT_MS, this.#setup.idleMs), () => {
			this.#awaitHeartbeat();
			this.#beat();
		});
	}

	#beat(): void {
		const { id, log, places } = this.#setup;
		// Here and not with each line: children's extensions may print into it too.
		this.#orLog("its log", undefined, () => rotateLog(places.log(id)));
		try {
			this.#lease.renew();
			// Again, in case it could not be written: others would wait for a host that takes nothing new.
			if (this.#closing) closeHost(this.#setup.ledger, this.#setup.id);
			this.#watchers?.listenAgainIfLost();
			this.#record();
			this.#attend();
			archiveDue(this.#setup);
			this.#leaveIfIdle();
		} catch (error) {
			// The ledger may be locked or its disk full for a while. The lease tells others if it lasts.
			log.error("heartbeat failed", { error });
			const isLost = error instanceof LedgerTrouble && !error.mayPass && this.#lease.hasRunOut;
			// A damaged ledger is replaced by one that does not know us.
			if (isLost) this.#vanish();
		}
	}

	/**
	 * Others gave up on this host and work on its runs. It ends on the spot: even to abort a child would be to write into
	 * a session that is somebody else's now.
	 */
	#vanish(): never {
		this.#setup.log.warn("given up on by others, leaving");
		this.#watchers?.close();
		return this.#setup.ports.processes.exit();
	}

	/** Looks at the ledger: what was taken away, what is to be stopped, what can be claimed. */
	#attend(): void {
		const { id, ledger, log, ports, profile } = this.#setup;
		const held = heldRuns(ledger, id);
		for (const active of this.#active.values()) {
			const mine = held.get(active.record.run.id);
			if (!mine || mine.fence !== active.record.run.fence) this.#letGo(active);
			else if (mine.stopBy !== undefined) this.#stop(active, mine.stopBy);
		}
		for (const ended of recover({ ledger, log, ports, reaper: this.#reaper })) {
			this.#watchers?.ended(ended);
		}
		while (!this.#closing) {
			const claim = { hostId: id, profile, at: ports.clock.now(), leaseMs: LEASE_MS, atMost: AT_MOST };
			const claimed = claimRuns(ledger, claim);
			if (claimed.length === 0) break;
			for (const { run, ...record } of claimed) {
				if (run.state !== "running") continue;
				log.info("claimed", { runId: run.id, agent: record.plan.agent, attempt: run.attempt });
				this.#hadRuns = true;
				void this.#workOn({ ...record, run });
			}
		}
	}

	async #workOn(claimed: ClaimedRun): Promise<void> {
		const { ledger, log, ports } = this.#setup;
		const { id, fence } = claimed.run;
		let record = claimed;
		// It was taken away and is ours again: what we still have of it writes into the same session.
		const before = this.#active.get(id);
		if (before) await before.work.done;
		const watchedBy = ports.clock.elapsed() + WATCHED_WITHIN_MS;
		try {
			const services = this.#setup.childServices(record.plan);
			const work = this.#setup.startWork(record, {
				...services,
				assertLeaseHeld: () => this.#orLog("lease", id, () => this.#lease.assertLeaseHeld()),
				ask: async (question, signal) => {
					log.info("asks the user", { runId: id, kind: question.kind });
					return this.#watchers?.ask(id, question, { signal, patienceMs: watchedBy - ports.clock.elapsed() });
				},
				onWarning: (warning) => log.warn("the child goes without something", { runId: id, warning }),
				onRetry: (retry) => log.warn("asks the model again", { runId: id, retry }),
				beginAttempt: () => {
					const attempt = record.run.attempt + 1;
					let begun = false;
					this.#orLog("attempt", id, () => {
						begun = beginAttempt(ledger, id, fence);
					});
					if (begun) record = { ...record, run: { ...record.run, attempt } };
					if (begun) log.warn("tries again after the model provider failed", { runId: id, attempt });
					return begun;
				},
				onNotice: (notice, kind) => log.info("an extension says", { runId: id, notice, kind }),
				onProgress: (progress) => this.#watchers?.progress(id, progress),
				onToolUse: (use) =>
					log.info(USED_A_TOOL, { runId: id, agent: record.plan.agent, session: record.parentSession, ...use }),
				onTurn: (turn) => this.#orLog("turn", id, () => recordTurn(ledger, id, fence, turn)),
				parentSessionUsage: () => usageOfParent(ledger, record.parentSession),
				inbox: {
					runId: id,
					waiting: () => waitingMessages(ledger, id),
					taken: (seq) => this.#orLog("inbox", id, () => messageTaken(ledger, { seq, fence, at: ports.clock.now() })),
				},
			});
			const active: ActiveRun = { record, work, ours: true, stopping: false };
			this.#active.set(id, active);
			this.#watchers?.started(id);
			log.info("started", { runId: id, agent: record.plan.agent, session: record.parentSession });
			const { outcome, settled } = await work.done;
			if (active.ours) this.#pendingOutcomes.add(record, outcome);
			else log.info("ended, but it was no longer ours", { runId: id });
			if (!settled) this.#closeBecause(`run ${id} did not settle after it was aborted`);
		} catch (error) {
			log.error("work failed", { runId: id, error });
			const message = messageOf(error);
			this.#pendingOutcomes.add(record, outcomeWithoutHost(record, { kind: "crashed", message }));
		} finally {
			this.#active.delete(id);
			this.#idleSince = ports.clock.elapsed();
			if (this.#setup.forOneRun) {
				this.#look();
				this.#orLog("leaving", undefined, () => this.#leaveIfIdle());
			} else this.#sharedLook.soon();
		}
	}

	#record(): void {
		this.#pendingOutcomes.write((id) => this.#watchers?.ended(id));
	}

	/** Attends to everything, and survives what goes wrong with it: the next heartbeat tries again. */
	#look(): void {
		try {
			this.#lease.assertLeaseHeld();
			this.#record();
			this.#attend();
		} catch (error) {
			this.#setup.log.error("could not attend to the ledger", { error });
		}
	}

	/** Bookkeeping that must not take the work down with it: what it writes is written again, or found out by others. */
	#orLog(what: string, runId: RunId | undefined, write: () => unknown): void {
		try {
			write();
		} catch (error) {
			this.#setup.log.error("could not write", { what, error, ...(runId && { runId }) });
		}
	}

	#stop(active: ActiveRun, by: string): void {
		if (!active.stopping) this.#setup.log.info("stopping", { runId: active.record.run.id, by });
		active.stopping = true;
		active.work.stop({ kind: "stopped", by });
	}

	#letGo(active: ActiveRun): void {
		if (active.ours) this.#setup.log.warn("given to another host", { runId: active.record.run.id });
		active.ours = false;
		active.work.stop({ kind: "lost", message: "The run was given to another host." });
	}

	/** Something in this process is not as it should be: no new runs for it. Another host takes its place. */
	#closeBecause(reason: string): void {
		this.#closing = true;
		this.#setup.log.warn("closing", { reason });
		this.#orLog("closing", undefined, () => closeHost(this.#setup.ledger, this.#setup.id));
	}

	#leaveIfIdle(): void {
		const { id, ledger, idleMs, forOneRun, log, ports } = this.#setup;
		const watched = (this.#watchers?.connections ?? 0) > 0;
		const leaveAtOnce = this.#closing || forOneRun;
		if (this.#active.size + this.#pendingOutcomes.size > 0 || (watched && !leaveAtOnce)) {
			this.#idleSince = ports.clock.elapsed();
			return;
		}
		if (!leaveAtOnce && ports.clock.elapsed() - this.#idleSince < idleMs) return;
		if (!leaveIfIdle(ledger, id)) return;
		log.info("leaving");
		try {
			if (this.#hadRuns) tidyUp(this.#setup);
		} finally {
			this.#leave();
			hostGone(ledger, id, ports.clock.now());
		}
	}

	#leave(): boolean {
		if (!this.#cancelHeartbeat) return false;
		this.#cancelHeartbeat();
		this.#cancelHeartbeat = undefined;
		this.#watchers?.close();
		this.#over.resolve();
		return true;
	}
}
