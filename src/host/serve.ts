import { outcomeWithoutHost } from "../collect/outcome.ts";
import { claimNext } from "../ledger/claim.ts";
import { closeHost, hostGone, hostReady, leaveIfIdle, renewLeases } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { endRun, heldRuns, recordUsage, usageOfParent } from "../ledger/progress.ts";
import { sweep } from "../ledger/sweep.ts";
import type { HostId, RunId } from "../run/ids.ts";
import { endLeftovers } from "./leftovers.ts";
import type { Log } from "./log.ts";
import { processStart } from "./process-start.ts";
import { Watchers } from "./watchers.ts";
import { type ClaimedRun, startWork, type Work, type WorkServices } from "./work.ts";

/** How long a host may be silent before its runs are given to another. */
const LEASE_MS = 15_000;
/** How often it renews its leases and looks at the ledger, in case a wake got lost. */
const HEARTBEAT_MS = 2000;

export interface HostSetup {
	id: HostId;
	profile: string;
	socket: string;
	idleMs: number;
	ledger: Ledger;
	log: Log;
	childServices(): Promise<Pick<WorkServices, "agentDir" | "modelRuntime" | "redactor">>;
}

interface ActiveRun {
	record: ClaimedRun;
	work: Work;
	/** False once it was taken away: then nothing of what we know of it may be written. */
	ours: boolean;
}

/** A host at work: claims runs, works on them, and leaves when nobody has needed it for a while. */
export class Host {
	readonly #setup: HostSetup;
	readonly #active = new Map<RunId, ActiveRun>();
	readonly #over = Promise.withResolvers<void>();
	#watchers: Watchers | undefined;
	#heartbeat: NodeJS.Timeout | undefined;
	#idleSince = performance.now();
	#closing = false;

	constructor(setup: HostSetup) {
		this.#setup = setup;
	}

	/** Resolves when the host has left. */
	async serve(): Promise<void> {
		const { id, ledger, socket, log } = this.#setup;
		this.#watchers = await Watchers.listen(socket, () => this.#attend());
		const ready = {
			id,
			pid: process.pid,
			pidStarted: processStart(process.pid) ?? "",
			leaseUntil: Date.now() + LEASE_MS,
		};
		if (!hostReady(ledger, ready)) {
			log.warn("not expected any more, leaving");
			return this.#watchers.close();
		}
		log.info("ready");
		this.#heartbeat = setInterval(() => this.#beat(), Math.min(HEARTBEAT_MS, this.#setup.idleMs));
		this.#attend();
		await this.#over.promise;
	}

	/** The process is being ended from outside: lets go of everything, so that another host can go on at once. */
	abandon(): void {
		if (this.#leave()) hostGone(this.#setup.ledger, this.#setup.id, Date.now());
	}

	#beat(): void {
		const { id, ledger, log } = this.#setup;
		try {
			if (!renewLeases(ledger, id, Date.now() + LEASE_MS)) {
				log.warn("given up on by others, leaving");
				for (const active of this.#active.values()) this.#letGo(active);
				this.#leave();
				return;
			}
			this.#attend();
			this.#leaveIfIdle();
		} catch (error) {
			// The ledger may be locked or its disk full for a while. The lease tells others if it lasts.
			log.error("heartbeat failed", { error });
		}
	}

	/** Looks at the ledger: what was taken away, what is to be stopped, what can be claimed. */
	#attend(): void {
		const { id, ledger, log, profile } = this.#setup;
		const held = heldRuns(ledger, id);
		for (const active of this.#active.values()) {
			const mine = held.get(active.record.run.id);
			if (!mine || mine.fence !== active.record.run.fence) this.#letGo(active);
			else if (mine.stopBy !== undefined) active.work.stop({ kind: "stopped", by: mine.stopBy });
		}
		const swept = sweep(ledger, { at: Date.now(), outcomeOf: outcomeWithoutHost });
		for (const { run, sessionId, plan } of swept.ended) {
			endLeftovers({ id: sessionId, tools: plan.tools });
			this.#watchers?.ended(run.id);
		}
		while (!this.#closing) {
			const record = claimNext(ledger, { hostId: id, profile, at: Date.now(), leaseMs: LEASE_MS });
			if (record?.run.state !== "running") break;
			log.info("claimed", { runId: record.run.id, agent: record.plan.agent, attempt: record.run.attempt });
			void this.#workOn({ ...record, run: record.run });
		}
	}

	async #workOn(record: ClaimedRun): Promise<void> {
		const { ledger, log } = this.#setup;
		const { id, fence } = record.run;
		try {
			const services = await this.#setup.childServices();
			const work = startWork(record, {
				...services,
				onProgress: (progress) => this.#watchers?.progress(id, progress),
				onUsage: (usage) => recordUsage(ledger, id, fence, usage),
				parentSessionUsage: () => usageOfParent(ledger, record.parentSession),
			});
			const active: ActiveRun = { record, work, ours: true };
			this.#active.set(id, active);
			this.#watchers?.started(id);
			const { outcome, settled } = await work.done;
			const counted = active.ours && endRun(ledger, { id, fence, outcome, at: Date.now() });
			log.info(counted ? "ended" : "ended, but it was no longer ours", { runId: id, status: outcome.status });
			if (!settled) this.#closeBecause(`run ${id} did not settle after it was aborted`);
		} catch (error) {
			// Nothing was recorded: the lease runs out and the run goes to another host, or ends as lost.
			log.error("work failed", { runId: id, error });
			this.#closeBecause(`run ${id} could not be brought to an end`);
		} finally {
			this.#active.delete(id);
			this.#idleSince = performance.now();
			this.#watchers?.ended(id);
			this.#attend();
		}
	}

	#letGo(active: ActiveRun): void {
		active.ours = false;
		active.work.stop({ kind: "lost", message: "The run was given to another host." });
	}

	/** Something in this process is not as it should be: no new runs for it. Another host takes its place. */
	#closeBecause(reason: string): void {
		this.#closing = true;
		this.#setup.log.warn("closing", { reason });
		closeHost(this.#setup.ledger, this.#setup.id);
	}

	#leaveIfIdle(): void {
		const { id, ledger, idleMs, log } = this.#setup;
		const watchers = this.#watchers?.connections ?? 0;
		if (this.#active.size > 0 || (watchers > 0 && !this.#closing)) {
			this.#idleSince = performance.now();
			return;
		}
		if (!this.#closing && performance.now() - this.#idleSince < idleMs) return;
		if (!leaveIfIdle(ledger, id)) return;
		log.info("leaving");
		this.#leave();
	}

	#leave(): boolean {
		if (!this.#heartbeat) return false;
		clearInterval(this.#heartbeat);
		this.#heartbeat = undefined;
		this.#watchers?.close();
		this.#over.resolve();
		return true;
	}
}
