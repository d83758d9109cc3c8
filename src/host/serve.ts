import { claimRuns } from "../ledger/claim.ts";
import { closeHost, hostGone, leaveIfIdle } from "../ledger/hosts.ts";
import { isUnfinished } from "../ledger/open-runs.ts";
import type { Places } from "../ledger/places.ts";
import type { ProfileKey } from "../ledger/profile-key.ts";
import { heldRuns } from "../ledger/progress.ts";
import type { Reaper } from "../ledger/sweep.ts";
import { LedgerTrouble } from "../ledger/trouble.ts";
import { waitOutTrouble } from "../ledger/wait-out.ts";
import { rotateLog } from "../log/log-file.ts";
import { Loop } from "../ports/loop.ts";
import { archiveDue, tidyUp } from "../processes/housekeeping.ts";
import { LEASE_MS, START_WITHIN_MS } from "../processes/lease.ts";
import { createReaper } from "../processes/reaper.ts";
import { recover } from "../processes/recover.ts";
import { StopHooks } from "../processes/stop-hooks.ts";
import type { HostId, RunId } from "../run/ids.ts";
import type { RunTraces } from "../traces/run-traces.ts";
import { ActiveRuns, type ActiveRunsSetup } from "./active-runs.ts";
import { beatEvery, decideHost, type HostAction, type HostMemory, isBeatDue } from "./decide.ts";
import { HostLease } from "./host-lease.ts";
import { PendingOutcomes } from "./pending-outcomes.ts";
import { Questions } from "./questions.ts";
import { Watchers } from "./watchers.ts";

/** The most runs that a host claims at once. */
const AT_MOST = 250;

export interface HostSetup extends ActiveRunsSetup {
	id: HostId;
	profile: ProfileKey;
	/** False for a host in a ring: a hook is the user's program, and may write where the user can. */
	runsHooks: boolean;
	/** Serves one run and leaves right after it. */
	forOneRun: boolean;
	socket: string;
	idleMs: number;
	places: Places;
	/** The user's current setting; undefined if it is unknown, so that nothing is removed. */
	retentionDays(): number | undefined;
	/** Sends finished runs to the trace collector. Absent: nothing is sent. */
	traces?: Pick<RunTraces, "ended"> | undefined;
	/** Runs once, if there is time for it before the first run. */
	warmUp(isIdle: () => boolean): Promise<unknown>;
}

/** A host: claims runs, works on them, and leaves when it has been idle for a while. `decide.ts` decides. */
export class Host {
	readonly #setup: HostSetup;
	readonly #runs: ActiveRuns;
	readonly #pendingOutcomes: PendingOutcomes;
	readonly #over = Promise.withResolvers<void>();
	readonly #reaper: Reaper;
	readonly #lease: HostLease;
	readonly #stopHooks: StopHooks;
	readonly #questions: Questions;
	readonly #loop: Loop;
	#watchers: Watchers | undefined;
	#state: HostMemory;
	#isServing = false;
	/** A host that had no runs has nothing to tidy up. */
	#hadRuns = false;

	constructor(setup: HostSetup) {
		this.#setup = setup;
		const now = setup.ports.clock.elapsed();
		this.#state = { beatAt: now + beatEvery(setup.idleMs), idleSince: now };
		this.#loop = new Loop(setup.ports.clock, () => this.#look());
		this.#reaper = createReaper(setup.ports, setup.id);
		this.#pendingOutcomes = new PendingOutcomes(setup);
		this.#stopHooks = new StopHooks(setup);
		this.#lease = new HostLease(setup, () => this.#vanish());
		this.#questions = new Questions(setup, {
			presence: (runId) => this.#watchers?.presence(runId) ?? "unknown",
			tell: (runId) => this.#watchers?.asks(runId),
			hint: () => this.#loop.hint(),
			orLog: (what, runId, write) => this.#orLog(what, runId, write),
		});
		this.#runs = new ActiveRuns(setup, {
			questionsOf: (run) => this.#questions.of(run),
			watchers: () => this.#watchers,
			assertLeaseHeld: () => this.#lease.assertLeaseHeld(),
			orLog: (what, runId, write) => this.#orLog(what, runId, write),
			onOutcome: (record, outcome) => this.#pendingOutcomes.add(record, outcome),
			onStuck: (id) => this.#closeBecause(`run ${id} did not settle after it was aborted`),
			onOver: () => {
				this.#state = { ...this.#state, idleSince: setup.ports.clock.elapsed() };
				this.#loop.hint();
			},
		});
	}

	/** Resolves when the host has left. */
	async serve(): Promise<void> {
		const { socket, log, ports } = this.#setup;
		const patience = { ...ports, withinMs: START_WITHIN_MS };
		this.#watchers = await waitOutTrouble(
			() =>
				Watchers.listen({
					address: socket,
					...ports,
					onWake: this.#loop.hint,
					onTrouble: (error) => log.warn("trouble with the socket", { error }),
				}),
			patience,
		);
		const isExpected = await waitOutTrouble(() => this.#lease.take(), patience);
		if (!isExpected) {
			log.warn("not expected any more, leaving");
			this.#watchers.close();
			return;
		}
		log.info("ready");
		this.#isServing = true;
		this.#loop.lookNow();
		if (this.#runs.size === 0) {
			// Not awaited, so that it does not keep the host from leaving.
			void this.#setup.warmUp(() => this.#runs.size === 0).catch((error) => log.warn("could not warm up", { error }));
		}
		await this.#over.promise;
	}

	/** Releases everything when the process is ended from outside, so that another host can continue at once. */
	abandon(): void {
		// Finished runs need not be done again.
		this.#orLog("endings", undefined, () => this.#record());
		if (this.#leave() !== "not serving") this.#lease.giveUp();
	}

	/** Survives errors: the ledger may be locked or its disk full for a while. The lease tells others if that lasts. */
	#look(): number {
		const { ports, idleMs, log } = this.#setup;
		const now = ports.clock.elapsed();
		const isBeat = isBeatDue(this.#state, now);
		try {
			if (isBeat) this.#beat();
			else this.#lease.assertLeaseHeld();
			this.#record();
			const decided = decideHost(this.#state, this.#see(), { ...this.#setup, now });
			this.#state = decided.state;
			for (const action of decided.actions) this.#act(action);
			this.#runs.look();
			this.#questions.look();
			if (this.#setup.runsHooks) this.#stopHooks.begin();
			if (isBeat) archiveDue(this.#setup);
		} catch (error) {
			log.error("could not look at the ledger", { error });
			const isLost = error instanceof LedgerTrouble && !error.mayPass && this.#lease.hasRunOut;
			// A damaged ledger is replaced by one that does not know us.
			if (isLost) this.#vanish();
			if (isBeat) this.#state = { ...this.#state, beatAt: now + beatEvery(idleMs) };
		}
		return this.#state.beatAt - ports.clock.elapsed();
	}

	/** The periodic work. */
	#beat(): void {
		const { id, ledger, places } = this.#setup;
		// Periodically and not with each line: children's extensions may print into it too.
		this.#orLog("its log", undefined, () => rotateLog(places.log(id)));
		this.#lease.renew();
		// Again, in case the first write failed: others would wait for a host that takes no new runs.
		if (this.#state.closingBecause !== undefined) closeHost(ledger, id);
		this.#watchers?.listenAgainIfLost();
	}

	#see() {
		const { id, ledger } = this.#setup;
		const active = this.#runs.all;
		return {
			active,
			held: heldRuns(ledger, id),
			pendingOutcomes: this.#pendingOutcomes.size + this.#stopHooks.running,
			// Only an idle host needs to know.
			isWatched: active.length === 0 && (this.#watchers?.watchAny((runId) => isUnfinished(ledger, runId)) ?? false),
		};
	}

	#act(action: HostAction): void {
		switch (action.do) {
			case "let go":
				this.#runs.letGo(action.runId);
				break;
			case "stop":
				this.#runs.stop(action.runId, action.by);
				break;
			case "recover":
				for (const ended of recover({ ...this.#setup, reaper: this.#reaper })) this.#tellEnd(ended);
				break;
			case "claim":
				this.#claim();
				break;
			case "leave if idle":
				this.#leaveIfIdle();
				break;
		}
	}

	#claim(): void {
		const { id: hostId, ledger, log, ports, profile } = this.#setup;
		for (;;) {
			const claim = { hostId, profile, at: ports.clock.now(), leaseMs: LEASE_MS, atMost: AT_MOST };
			const claimed = claimRuns(ledger, claim);
			if (claimed.length === 0) return;
			for (const { run, ...record } of claimed) {
				if (run.state !== "running") continue;
				log.info("claimed", { runId: run.id, agent: record.plan.agent, attempt: run.attempt });
				this.#hadRuns = true;
				void this.#runs.workOn({ ...record, run });
			}
		}
	}

	#record(): void {
		// The host that ends a run sends its spans. A run that is no longer ours is left to that host.
		this.#pendingOutcomes.write((id, { counted }) => this.#tellEnd(id, counted));
	}

	/** Tells the watchers first. */
	#tellEnd(id: RunId, counted = true): void {
		this.#watchers?.ended(id, counted);
		if (counted) this.#setup.traces?.ended(id, this.#setup.ledger);
	}

	#orLog(what: string, runId: RunId | undefined, write: () => unknown): void {
		try {
			write();
		} catch (error) {
			this.#setup.log.error("could not write", { what, error, ...(runId && { runId }) });
		}
	}

	/**
	 * Other processes gave up on this host, and other hosts work on its runs. It exits on the spot: even aborting a child
	 * would write into a session that belongs to another host now.
	 */
	#vanish(): never {
		this.#setup.log.warn("given up on by others, leaving");
		this.#watchers?.close();
		return this.#setup.ports.processes.exit();
	}

	/** Something in this process is wrong, so it takes no new runs. Another host takes its place. */
	#closeBecause(reason: string): void {
		this.#state = { ...this.#state, closingBecause: reason };
		this.#setup.log.warn("closing", { reason });
		this.#orLog("closing", undefined, () => closeHost(this.#setup.ledger, this.#setup.id));
	}

	#leaveIfIdle(): void {
		const { id, ledger, log, ports } = this.#setup;
		if (!leaveIfIdle(ledger, id)) return;
		log.info("leaving");
		try {
			if (this.#hadRuns) tidyUp(this.#setup);
		} finally {
			// A host whose socket is still there stays closing: the sweep removes the socket once the lease has expired.
			if (this.#leave() === "left") hostGone(ledger, id, ports.clock.now());
		}
	}

	#leave(): "not serving" | "left" | "left its socket" {
		if (!this.#isServing) return "not serving";
		this.#isServing = false;
		this.#loop.end();
		const isCleared = this.#watchers?.close() ?? true;
		this.#over.resolve();
		return isCleared ? "left" : "left its socket";
	}
}
