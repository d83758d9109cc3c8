import { outcomeWithoutHost } from "../collect/outcome.ts";
import { adoptRun } from "../ledger/adopt.ts";
import { findHost, findLiveHost, findOrReserveHost, type HostRecord } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OpenRun } from "../ledger/open-runs.ts";
import { mayHaveOwnHost } from "../ledger/own-host.ts";
import type { Places } from "../ledger/places.ts";
import type { ProfileKey } from "../ledger/profile-key.ts";
import { endRun } from "../ledger/progress.ts";
import { findRun } from "../ledger/records.ts";
import { LedgerTrouble } from "../ledger/trouble.ts";
import { type Log, NO_LOG } from "../log/log.ts";
import type { Ports } from "../ports/ports.ts";
import { sweepHostFolders } from "../processes/host-folders.ts";
import { START_WITHIN_MS } from "../processes/lease.ts";
import { reapDead } from "../processes/reaper.ts";
import type { HostId, RunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { HostConnection } from "./connection.ts";
import type { HostProfiles, RingedPlan } from "./host-profiles.ts";
import type { HostProfile } from "./profile.ts";
import { startHost } from "./start-host.ts";

const START_ATTEMPTS = 2;
/** How often to look whether a host that was prepared is ready. */
const READY_YET_MS = 50;
/** How long to keep an unused connection. An idle host stays about as long. */
const UNUSED_FOR_MS = 60_000;
/** How often, and for how long, to retry a start that the system refuses because of a full disk or missing permissions. */
const REFUSED_STARTS = { times: 10, forMs: 30_000 };

export interface HostsSetup {
	ledger: Ledger;
	places: Places;
	profiles: HostProfiles;
	ports: Ports;
	log?: Log;
	/** Starts the process of a reserved host. */
	start?: typeof startHost;
}

interface ExitedHost {
	host: HostRecord;
	reason: string;
	wasLate: boolean;
}

/** The hosts that this process works with: it finds or starts them, connects to them, and reaps dead ones. */
export class Hosts {
	readonly #ledger: Ledger;
	readonly #places: Places;
	readonly #profiles: HostProfiles;
	readonly #ports: Ports;
	readonly #startHost: typeof startHost;
	readonly #log: Log;
	readonly #connections = new Map<HostId, HostConnection>();
	#cancelConnectingAhead = () => {};
	/** Hosts that we are connecting to. */
	readonly #connecting = new Set<HostId>();
	readonly #failedToConnect = new Map<HostId, unknown>();
	readonly #failures: string[] = [];
	#lastFailure = "";
	/** Starts that the system refused since the last successful one. */
	#refused: { since: number; times: number } | undefined;
	/** Hosts that were starting when we last looked, and when we first saw that. */
	readonly #starting = new Map<HostId, number>();
	/** Hosts whose process has exited, until the ledger knows. */
	readonly #exited = new Map<HostId, ExitedHost>();
	#disposed = false;
	/** A connection was made, or a host turned out to be dead. */
	onReached = (): void => {};

	constructor({ ledger, places, profiles, ports, start = startHost, log = NO_LOG }: HostsSetup) {
		this.#ledger = ledger;
		this.#places = places;
		this.#profiles = profiles;
		this.#ports = ports;
		this.#startHost = start;
		this.#log = log;
	}

	get #now(): number {
		return this.#ports.clock.now();
	}

	/** How long we have been looking for the latest host that is starting. */
	get startingForMs(): number | undefined {
		return this.#starting.size === 0 ? undefined : this.#ports.clock.elapsed() - Math.max(...this.#starting.values());
	}

	/**
	 * Starts the host that such a run will need, and connects to it, ahead of time, so that the run does not wait for either.
	 */
	prepare(plan: RingedPlan): void {
		const profile = this.#profiles.for(plan);
		this.#connectAhead(this.#findOrStart({ digest: profile.digest }, profile));
	}

	#connectAhead({ id }: HostRecord): void {
		this.#cancelConnectingAhead();
		const host = this.#known(id);
		if (host?.state === "starting" && host.leaseUntil > this.#now) {
			this.#cancelConnectingAhead = this.#ports.clock.after(READY_YET_MS, () => this.#connectAhead(host));
		} else if (host?.state === "ready" && !this.#connections.has(id) && !this.#connecting.has(id)) {
			void this.#connect(host);
		}
	}

	/** Undefined also if the ledger cannot be read now: the run itself will connect. */
	#known(id: HostId): HostRecord | undefined {
		try {
			return findHost(this.#ledger, id);
		} catch (error) {
			if (!(error instanceof LedgerTrouble)) throw error;
			return undefined;
		}
	}

	/** Makes the hosts look at the ledger at once, instead of at their next heartbeat. */
	wake(): void {
		for (const connection of this.#connections.values()) connection.wake();
	}

	/** Closes all sockets. Runs continue without us. */
	dispose(): void {
		this.#disposed = true;
		this.#cancelConnectingAhead();
		for (const connection of this.#connections.values()) connection.close();
		this.#connections.clear();
	}

	/**
	 * The connection to the host that works on the run, or that should. Undefined if there is none now: a connection is
	 * being made, or the host is still starting. `onReached` then says when to look again.
	 */
	reach(run: OpenRun): HostConnection | undefined {
		this.#settleExits();
		const host = run.hostId === undefined ? this.#hostFor(run.profile, run.id) : findHost(this.#ledger, run.hostId);
		if (!host) return undefined;
		// A host listens before it reports that it is ready.
		if (host.state === "starting") return this.#awaitStart(host);
		this.#starting.delete(host.id);
		const known = this.#connections.get(host.id);
		if (known?.isOpen) return known;
		this.#throwFailureOf(host);
		if (!this.#connecting.has(host.id)) void this.#connect(host);
		return undefined;
	}

	#awaitStart({ id }: HostRecord): undefined {
		if (!this.#starting.has(id)) this.#starting.set(id, this.#ports.clock.elapsed());
	}

	/** Throws the error of an earlier attempt to connect in the background, once. */
	#throwFailureOf({ id }: HostRecord): void {
		const failed = this.#failedToConnect.get(id);
		this.#failedToConnect.delete(id);
		if (failed !== undefined) throw failed;
	}

	async #connect(host: HostRecord): Promise<void> {
		this.#connecting.add(host.id);
		try {
			const connection = await HostConnection.open(host.socket, this.#ports);
			if (this.#disposed) return connection.close();
			this.#connections.set(host.id, connection);
			this.#failures.length = 0;
			this.onReached();
		} catch (error) {
			if (!this.#disposed) this.#notConnected(host, error);
		} finally {
			this.#connecting.delete(host.id);
		}
	}

	/** The host does not listen: it is still starting, or dead. If it is dead, no run waits for its leases to expire. */
	#notConnected(host: HostRecord, error: unknown): void {
		try {
			if (!(error instanceof Error && "code" in error)) throw error;
			if (this.#reapIfDead(host)) this.onReached();
		} catch (failure) {
			this.#failedToConnect.set(host.id, failure);
		}
	}

	#hostFor(profile: ProfileKey, runId: RunId): HostRecord | undefined {
		const own = profile.ownRun !== undefined;
		const live = own ? findLiveHost(this.#ledger, profile, this.#now) : undefined;
		if (live) return live;
		if (own && !mayHaveOwnHost(this.#ledger, runId, this.#now)) return undefined;
		// A run that another pi admitted under another profile finds its host under that profile, unless no pi keeps such a
		// host any more.
		const ours = this.#profiles.named(profile.digest) ?? this.#adopt(runId, profile);
		if (!ours) return undefined;
		if (this.#failures.length >= START_ATTEMPTS) return this.#giveUp(runId);
		try {
			return this.#findOrStart({ ...profile, digest: ours.digest }, ours);
		} catch (error) {
			if (this.#isRefusedForGood) return this.#giveUp(runId);
			throw error;
		}
	}

	#findOrStart(key: ProfileKey, profile: HostProfile): HostRecord {
		const { host, startIt } = findOrReserveHost(this.#ledger, {
			profile: key,
			at: this.#now,
			startWithinMs: START_WITHIN_MS,
			socketOf: this.#places.socket,
		});
		if (startIt) this.#start(host, profile);
		this.#refused = undefined;
		return host;
	}

	#adopt(id: RunId, from: ProfileKey): HostProfile | undefined {
		const plan = findRun(this.#ledger, id)?.plan;
		// Any host can end a run whose plan cannot be read.
		const profile = plan ? this.#profiles.for(plan) : this.#profiles.free;
		return adoptRun(this.#ledger, { id, from, to: profile.digest, at: this.#now }) ? profile : undefined;
	}

	#start(host: HostRecord, profile: HostProfile): void {
		this.#log.info("starting a host", { host: host.id });
		try {
			this.#startProcess(host, profile);
		} catch (error) {
			this.#refused ??= { since: this.#ports.clock.elapsed(), times: 0 };
			this.#refused.times++;
			this.#lastFailure = messageOf(error);
			// A run must never wait for a host that was not started.
			this.#reap(host);
			throw error;
		}
	}

	/** Both limits have to be reached: a process that was suspended did not try all that time. */
	get #isRefusedForGood(): boolean {
		if (!this.#refused) return false;
		const { since, times } = this.#refused;
		return times >= REFUSED_STARTS.times && this.#ports.clock.elapsed() - since >= REFUSED_STARTS.forMs;
	}

	#startProcess(host: HostRecord, profile: HostProfile): void {
		this.#startHost(host, {
			profile,
			places: this.#places,
			withinMs: START_WITHIN_MS,
			sweep: () => void sweepHostFolders(this.#ledger, this.#places, this.#ports.clock.now()),
			isReady: () => this.#disposed || findHost(this.#ledger, host.id)?.pid !== undefined,
			onExit: (reason, { wasLate } = { wasLate: false }) => {
				this.#starting.delete(host.id);
				this.#exited.set(host.id, { host, reason, wasLate });
				this.#settleExits();
			},
		});
	}

	/** Records which processes have exited. If the ledger cannot be written now, the next look tries again. */
	#settleExits(): void {
		if (this.#disposed) return; // The process exited after we closed the ledger.
		for (const exit of this.#exited.values()) {
			try {
				this.#settleExit(exit);
			} catch (error) {
				if (!(error instanceof LedgerTrouble)) throw error;
				return;
			}
			this.#exited.delete(exit.host.id);
		}
	}

	#settleExit({ host, reason, wasLate }: ExitedHost): void {
		const now = findHost(this.#ledger, host.id);
		if (now?.pid !== undefined && now.state !== "gone" && !this.#ports.processes.isDead(now)) {
			// The process that we started only waited for the host, which is still running.
			this.#log.warn("a host lost the process it was started by", { host: host.id, hostPid: now.pid });
			return;
		}
		// A host that came up too late was marked as gone before it made its socket, so the socket may still be there.
		if (now && now.state !== "gone") this.#reap(now);
		else this.#ports.wire.remove(host.socket);
		const left = now?.pid !== undefined && now.state === "gone";
		this.#log[left ? "info" : "warn"]("a host ended", { host: host.id, ...(!left && { reason }) });
		// A host that was ready once has recorded its pid. A host that left because another took its place has not failed:
		// a process that was suspended may find that several of its hosts did.
		const wasReplaced = now?.state === "closing" && !wasLate;
		if (now?.pid === undefined && !wasReplaced) this.#failures.push(reason);
		this.#lastFailure = reason;
	}

	#giveUp(runId: RunId): undefined {
		const record = findRun(this.#ledger, runId);
		const message = `The host process could not be started: ${this.#lastFailure}`;
		this.#failures.length = 0;
		if (record?.run.state !== "queued") return undefined;
		this.#log.error("gave up starting a host", { runId, reason: message });
		const error = { code: "SUBAGENT_FAILED", message, reason: "spawn" } as const;
		const outcome = outcomeWithoutHost(record, { kind: "refused", error }, this.#ledger.redact);
		endRun(this.#ledger, { id: runId, fence: record.run.fence, outcome, at: this.#now });
		return undefined;
	}

	/** Returns whether this is new: a host whose socket cannot be removed is found dead at every look. */
	#reapIfDead(host: HostRecord): boolean {
		if (!this.#ports.processes.isDead(host)) return false;
		const isKnown = host.state === "closing" && host.leaseUntil <= this.#now;
		if (!isKnown) this.#log.warn("a host was found dead", { host: host.id, hostPid: host.pid });
		this.#reap(host);
		return !isKnown;
	}

	#reap(host: HostRecord): void {
		this.#starting.delete(host.id);
		reapDead(this.#ledger, host, this.#ports);
	}

	/** Closes connections that nothing has needed for a while. The next run of a session does not wait for a new one. */
	closeUnused(): void {
		for (const [id, connection] of this.#connections) {
			if (connection.isOpen && connection.unusedForMs < UNUSED_FOR_MS) continue;
			connection.close();
			this.#connections.delete(id);
		}
	}
}
