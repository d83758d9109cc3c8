import { type HostId, newHostId, type RunId } from "../run/ids.ts";
import { readUsage } from "../run/stored-usage.ts";
import { NO_USAGE } from "../run/usage.ts";
import { closeAttempt } from "./attempts.ts";
import type { Ledger } from "./ledger.ts";
import { OF_PROFILE, type ProfileColumns, type ProfileKey, profileValues, toProfile } from "./profile-key.ts";

/**
 * starting: a process is starting it; others wait for it instead of starting a second one.
 * ready: it serves its socket and claims runs. closing: it finishes its runs and takes no new ones. gone: it has exited,
 * or was given up on.
 */
export type HostState = "starting" | "ready" | "closing" | "gone";

export interface HostRecord {
	id: HostId;
	profile: ProfileKey;
	state: HostState;
	pid?: number;
	/**
	 * When the process with that pid was started, as the system reports it: a pid alone may belong to another process now.
	 */
	pidStarted?: string;
	socket: string;
	leaseUntil: number;
}

interface HostRow extends ProfileColumns {
	id: HostId;
	state: HostState;
	pid: number | null;
	pid_started: string | null;
	socket: string;
	lease_until: number;
}

/** The host for a profile, or the right to start one: of two processes that ask at once, only one gets the right. */
export function findOrReserveHost(
	ledger: Ledger,
	want: { profile: ProfileKey; at: number; startWithinMs: number; socketOf: (id: HostId) => string },
): { host: HostRecord; startIt: boolean } {
	const find = () => findLiveHost(ledger, want.profile, want.at);
	const live = find();
	if (live) return { host: live, startIt: false };
	return ledger.transaction("normal", () => {
		const quicker = find();
		if (quicker) return { host: quicker, startIt: false };
		// The process that had the right to start a host let it expire. If its host still arrives, it must find itself
		// replaced. The host is not marked as gone yet: if it died, the next sweep removes its socket.
		ledger.run(
			`UPDATE hosts SET state = 'closing' WHERE ${OF_PROFILE} AND state <> 'gone' AND state = 'starting' AND lease_until <= ?`,
			...profileValues(want.profile),
			want.at,
		);
		const id = newHostId();
		const host: HostRecord = {
			id,
			profile: want.profile,
			state: "starting",
			socket: want.socketOf(id),
			leaseUntil: want.at + want.startWithinMs,
		};
		ledger.run(
			"INSERT INTO hosts (id, profile, own_run, state, socket, lease_until, created_at) VALUES (?, ?, ?, 'starting', ?, ?, ?)",
			id,
			...profileValues(host.profile),
			host.socket,
			host.leaseUntil,
			want.at,
		);
		return { host, startIt: true };
	});
}

const STARTS_AFTER = "state <> 'gone' AND state = 'starting' AND lease_until > ?";

/**
 * Revokes rights to start a host that expire later than any right granted now could: they were granted before the clock was
 * set back. If the holder of such a right died, runs would wait until the clock reaches that time again.
 */
export function expireImpossibleStarts(ledger: Ledger, at: number, startWithinMs: number): void {
	// Twice the time: another process may have read a later clock, and waited for the lock since.
	const latest = at + 2 * startWithinMs;
	if (!ledger.get(`SELECT 1 FROM hosts WHERE ${STARTS_AFTER}`, latest)) return;
	ledger.transaction("normal", () =>
		ledger.run(`UPDATE hosts SET state = 'closing', lease_until = ? WHERE ${STARTS_AFTER}`, at, latest),
	);
}

/** Excludes a host that is closing: it takes no new runs. */
export function findLiveHost(ledger: Ledger, profile: ProfileKey, at: number): HostRecord | undefined {
	const row = ledger.get<HostRow>(
		`SELECT * FROM hosts WHERE ${OF_PROFILE} AND state <> 'gone' AND state <> 'closing' AND lease_until > ?
			ORDER BY state, created_at DESC LIMIT 1`,
		...profileValues(profile),
		at,
	);
	return row && toHost(row);
}

export function findHost(ledger: Ledger, id: HostId): HostRecord | undefined {
	const row = ledger.get<HostRow>("SELECT * FROM hosts WHERE id = ?", id);
	return row && toHost(row);
}

/** Hosts that are not known to be gone. */
export function listHosts(ledger: Ledger): HostRecord[] {
	return selectHosts(ledger, "state <> 'gone'");
}

export function selectHosts(ledger: Ledger, condition: string, ...values: (string | number)[]): HostRecord[] {
	return ledger.all<HostRow>(`SELECT * FROM hosts WHERE ${condition}`, ...values).map(toHost);
}

/** Hosts that are gone according to the ledger, and that had a process. */
export function listGoneHosts(ledger: Ledger): HostRecord[] {
	return selectHosts(ledger, "state = 'gone' AND pid IS NOT NULL");
}

/** False if no process expects the host (any more). The host must then leave without touching anything. */
export function hostReady(
	ledger: Ledger,
	ready: { id: HostId; pid: number; pidStarted: string; leaseUntil: number },
): boolean {
	return ledger.transaction("normal", () => {
		const sql =
			"UPDATE hosts SET state = 'ready', pid = ?, pid_started = ?, lease_until = ? WHERE id = ? AND state = 'starting'";
		return ledger.run(sql, ready.pid, ready.pidStarted, ready.leaseUntil, ready.id) === 1;
	});
}

/** Renews the host's own lease and those of all its runs at once. False if the host was given up on. */
export function renewLeases(ledger: Ledger, id: HostId, leaseUntil: number): boolean {
	return ledger.transaction("normal", () => {
		const known = ledger.run("UPDATE hosts SET lease_until = ? WHERE id = ? AND state <> 'gone'", leaseUntil, id) === 1;
		// A host that was given up on must not keep its runs: they are about to go to another one.
		if (known) ledger.run("UPDATE runs SET lease_until = ? WHERE state = 'running' AND host_id = ?", leaseUntil, id);
		return known;
	});
}

/** From now on, the host takes no new runs. */
export function closeHost(ledger: Ledger, id: HostId): void {
	ledger.transaction("normal", () =>
		ledger.run("UPDATE hosts SET state = 'closing' WHERE id = ? AND state <> 'gone'", id),
	);
}

/**
 * Lets an idle host leave, unless a run for it was admitted in the meantime. One transaction decides: either it sees that
 * run, or the process that admitted the run finds the host closing. The host is marked as gone only once its socket is
 * removed: if it is killed in between, other processes remove the socket when its lease has expired.
 */
export function leaveIfIdle(ledger: Ledger, id: HostId): boolean {
	return ledger.transaction("normal", () => {
		const sql = `UPDATE hosts SET state = 'closing' WHERE id = ?
			AND NOT EXISTS (SELECT 1 FROM runs WHERE state = 'running' AND host_id = hosts.id)
			AND (state <> 'ready' OR NOT EXISTS (SELECT 1 FROM runs WHERE state = 'queued'
				AND profile = hosts.profile AND own_run IS hosts.own_run))`;
		return ledger.run(sql, id) === 1;
	});
}

/** Marks a host as gone whose process is known to be dead, so that its leases need not expire first. */
export function hostGone(ledger: Ledger, id: HostId, at: number): void {
	ledger.transaction("normal", () => goneInTransaction(ledger, id, at));
}

/** Like `hostGone`, for a host whose socket is still there: the next sweep removes the socket and marks the host. */
export function hostDied(ledger: Ledger, id: HostId, at: number): void {
	ledger.transaction("normal", () => {
		ledger.run("UPDATE hosts SET state = 'closing' WHERE id = ? AND state <> 'gone'", id);
		expireLeases(ledger, id, at);
	});
}

/** Marks a host that leaves by itself as gone, and gives back the runs that it still holds. */
export function hostLeft(ledger: Ledger, id: HostId, at: number): void {
	ledger.transaction("normal", () => {
		const sql = "SELECT id, attempt, usage FROM runs WHERE state = 'running' AND host_id = ?";
		for (const { usage, ...run } of ledger.all<{ id: RunId; attempt: number; usage: string }>(sql, id)) {
			closeAttempt(ledger, run, { at, cause: "released", spent: readUsage(usage) ?? NO_USAGE });
		}
		goneInTransaction(ledger, id, at);
	});
}

function goneInTransaction(ledger: Ledger, id: HostId, at: number): void {
	ledger.run("UPDATE hosts SET state = 'gone' WHERE id = ?", id);
	expireLeases(ledger, id, at);
}

function expireLeases(ledger: Ledger, id: HostId, at: number): void {
	ledger.run("UPDATE hosts SET lease_until = min(lease_until, ?) WHERE id = ?", at, id);
	ledger.run("UPDATE runs SET lease_until = min(lease_until, ?) WHERE state = 'running' AND host_id = ?", at, id);
}

function toHost(row: HostRow): HostRecord {
	return {
		id: row.id,
		profile: toProfile(row),
		state: row.state,
		...(row.pid !== null && { pid: row.pid }),
		...(row.pid_started !== null && { pidStarted: row.pid_started }),
		socket: row.socket,
		leaseUntil: row.lease_until,
	};
}
