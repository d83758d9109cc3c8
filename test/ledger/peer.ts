/**
 * A second process for the tests of the ledger: it does what it is told over Node's message channel, with the real
 * functions on the real file. `peers.ts` is the other end.
 */
import { existsSync } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { admitRun } from "../../src/ledger/admit.ts";
import { archiveDueSessions } from "../../src/ledger/archive.ts";
import { findOrReserveHost, hostGone, hostReady, leaveIfIdle, listHosts, renewLeases } from "../../src/ledger/hosts.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { endRun, recordTurn } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import type { HostId, RunId } from "../../src/run/ids.ts";
import type { Run, RunningRun } from "../../src/run/run.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { openLedgerFile } from "../helpers/ledger-file.ts";
import { PATIENCE_MS } from "../helpers/patience.ts";
import { Audit } from "./audit.ts";
import { claimNext } from "./one-run.ts";
import { admission, outcomeOf, success } from "./samples.ts";

export type Verbs = typeof verbs;
export interface Call {
	name: keyof Verbs;
	argument: unknown;
}
export type Answer =
	| { kind: "word"; word: string }
	| { kind: "result"; value: unknown }
	| { kind: "failed"; message: string };

const verbs = {
	/** Opens a ledger at a given moment and lets go of it again. */
	async open(job: { file: string; at: number; setAsideIfDamaged?: boolean }): Promise<string> {
		spinUntil(job.at);
		const ledger = await openLedger(job.file, { setAsideIfDamaged: job.setAsideIfDamaged ?? false });
		ledger.close();
		return ledger.setAside === undefined ? "opened" : "set aside";
	},

	async stateOf({ file, id }: { file: string; id: RunId }): Promise<Run["state"] | undefined> {
		return using(file, (ledger) => findRun(ledger, id)?.run.state);
	},

	/** Puts away all that is due, beginning at a given moment. */
	async archive({ file, startAt, at }: { file: string; startAt: number; at: number }): Promise<void> {
		await using(file, (ledger) => {
			spinUntil(startAt);
			while (archiveDueSessions(ledger, at).archived.length > 0);
		});
	},

	/** Writes something, says "locked", and holds the write lock until a file is there, and a while longer. */
	async holdWriteLock({ file, until }: { file: string; until: string }): Promise<void> {
		const database = openLedgerFile(file);
		database.exec("BEGIN IMMEDIATE; CREATE TABLE held (n)");
		say("locked");
		await breathe();
		while (!existsSync(until)) spinFor(5);
		spinFor(200);
		database.exec("COMMIT");
		database.close();
	},

	async claimAs({
		file,
		hostId,
		profile,
	}: {
		file: string;
		hostId: HostId;
		profile: string;
	}): Promise<RunId | undefined> {
		return using(file, (ledger) => {
			say("claiming");
			return claimNext(ledger, { hostId, profile, at: Date.now(), leaseMs: 60_000 })?.run.id;
		});
	},

	async sweepAt({ file, at, leasesAt }: { file: string; at: number; leasesAt: number }): Promise<RunId[]> {
		return using(file, (ledger) => {
			spinUntil(at);
			const { ended, requeued } = sweep(ledger, { at: leasesAt, outcomeOf });
			return [...ended, ...requeued].map(({ run }) => run.id);
		});
	},

	/** At each moment, asks for a host of that moment's own profile. Answers whether we were told to start it, and which. */
	async reserveAt({ file, moments }: { file: string; moments: number[] }): Promise<{ startIt: boolean; id: HostId }[]> {
		return using(file, (ledger) =>
			moments.map((moment) => {
				spinUntil(moment);
				const want = { profile: { digest: `round ${moment}` }, at: moment, startWithinMs: 1000, socketOf };
				const { host, startIt } = findOrReserveHost(ledger, want);
				return { startIt, id: host.id };
			}),
		);
	},

	/**
	 * Admits runs one after the other, looks for a host for each and waits for its end, as a parent does. Answers how many
	 * hosts it had to start, and the runs that were left with a host that is gone.
	 */
	async admitAndFindHost({
		file,
		runs,
	}: {
		file: string;
		runs: number;
	}): Promise<{ started: number; stranded: RunId[] }> {
		return using(file, (ledger) => {
			let started = 0;
			const stranded: RunId[] = [];
			while (stranded.length === 0 && runs-- > 0) {
				const { run } = admitRun(ledger, admission({ at: Date.now() }));
				const want = { profile: { digest: "p" }, at: Date.now(), startWithinMs: 60_000, socketOf };
				const { host, startIt } = findOrReserveHost(ledger, want);
				if (startIt) {
					started++;
					hostReady(ledger, { id: host.id, pid: process.pid, pidStarted: "", leaseUntil: Date.now() + 60_000 });
				}
				if (!endsWith(ledger, run.id, host.id)) stranded.push(run.id);
				// The host is about to leave. Being back at another moment each time is what makes it a race.
				spinFor(Math.random() * 2);
			}
			return { started, stranded };
		});
	},

	/** Plays the ready host: works off the queue, and leaves when it may, a moment later; until so many runs have finished. */
	async leaveWhenIdle({ file, runs }: { file: string; runs: number }): Promise<void> {
		await using(file, (ledger) => {
			let ended = 0;
			say("leaving");
			const deadline = Date.now() + PATIENCE_MS;
			while (ended < runs && Date.now() < deadline) {
				for (const { id, state } of listHosts(ledger)) {
					if (state !== "ready") continue;
					const run = claim(ledger, id, { leaseMs: 60_000 });
					if (run && endRun(ledger, { id: run.id, fence: run.fence, outcome: success(), at: Date.now() })) ended++;
					spinFor(Math.random() * 2);
					if (leaveIfIdle(ledger, id)) hostGone(ledger, id, Date.now());
				}
			}
		});
	},

	/**
	 * A host among many: claims, works a moment, ends, and sweeps after the others, until nothing is left to do. Keeps an
	 * audit. One that is to die ends `endsBeforeDeath` runs, says "holding", and from then on keeps what it has and writes.
	 */
	async workOff(job: { file: string; audit: string; leaseMs: number; total: number; endsBeforeDeath?: number }) {
		const { leaseMs } = job;
		const ledger = await openLedger(job.file);
		const audit = new Audit(job.audit);
		let host = registerHost(ledger, leaseMs);
		const held: RunningRun[] = [];
		let ends = 0;
		let renewed = 0;
		const beat = () => {
			if (Date.now() - renewed < leaseMs / 10) return;
			renewed = Date.now();
			if (!renewLeases(ledger, host, Date.now() + leaseMs)) {
				// On a busy machine we may have been late ourselves. Then we are a stranger who starts again.
				held.length = 0;
				host = registerHost(ledger, leaseMs);
			}
			const seenAt = audit.now();
			const { ended, requeued } = sweep(ledger, { at: Date.now(), outcomeOf });
			for (const { run } of requeued)
				audit.write({ what: "taken back", run: run.id, fence: run.fence - 1, at: seenAt });
			for (const { run } of ended) audit.write({ what: "ended", run: run.id, fence: run.fence, at: seenAt });
		};
		const dying = () => job.endsBeforeDeath !== undefined && ends >= job.endsBeforeDeath;
		while (countEnded(ledger) < job.total) {
			beat();
			const run = dying() && held.length > 1 ? undefined : claim(ledger, host, { leaseMs });
			if (run) {
				audit.write({ what: "claimed", run: run.id, fence: run.fence, at: audit.now() });
				held.push(run);
			}
			for (const { id, fence } of held) recordTurn(ledger, id, fence, { usage: { ...NO_USAGE, turns: ends } });
			const done = !dying() && (held.length > 1 || !run) ? held.shift() : undefined;
			if (done) {
				const at = audit.now();
				if (endRun(ledger, { id: done.id, fence: done.fence, outcome: success(String(process.pid)), at: Date.now() })) {
					audit.write({ what: "ended", run: done.id, fence: done.fence, at });
					if (++ends === job.endsBeforeDeath) say("holding");
				}
			}
			await breathe();
		}
		ledger.close();
	},
};

function claim(ledger: Ledger, hostId: HostId, { leaseMs }: { leaseMs: number }): RunningRun | undefined {
	const run = claimNext(ledger, { hostId, profile: "p", at: Date.now(), leaseMs })?.run;
	return run?.state === "running" ? run : undefined;
}

function registerHost(ledger: Ledger, leaseMs: number): HostId {
	// Under a profile of its own, since of one profile a second host would not be started; it claims those of "p".
	const want = { profile: { digest: `host ${process.pid}` }, at: Date.now(), startWithinMs: 60_000, socketOf };
	const { host } = findOrReserveHost(ledger, want);
	hostReady(ledger, { id: host.id, pid: process.pid, pidStarted: "", leaseUntil: Date.now() + leaseMs });
	return host.id;
}

/** Waits for a run to end. False if its host is gone before that. */
function endsWith(ledger: Ledger, run: RunId, host: HostId): boolean {
	// One statement, so that both are seen at one moment.
	const sql = "SELECT (SELECT state FROM runs WHERE id = ?) AS run, (SELECT state FROM hosts WHERE id = ?) AS host";
	for (;;) {
		const seen = ledger.get<{ run: string; host: string }>(sql, run, host);
		if (seen?.run === "ended") return true;
		if (seen?.host === "gone") return false;
	}
}

const countEnded = (ledger: Ledger): number =>
	ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE state = 'ended'")?.n ?? 0;

const socketOf = (id: HostId): string => `/sockets/${id}`;

async function using<Result>(file: string, work: (ledger: Ledger) => Result): Promise<Result> {
	const ledger = await openLedger(file);
	try {
		return work(ledger);
	} finally {
		ledger.close();
	}
}

/** Two processes that wait for one moment on the same clock act closer together than two that get a message. */
function spinUntil(moment: number): void {
	while (Date.now() < moment);
}

function spinFor(ms: number): void {
	const end = performance.now() + ms;
	while (performance.now() < end);
}

function tell(answer: Answer): void {
	process.send?.(answer);
}

const say = (word: string): void => tell({ kind: "word", word });

process.on("message", async ({ name, argument }: Call) => {
	try {
		const verb = verbs[name] as (argument: unknown) => Promise<unknown>;
		tell({ kind: "result", value: await verb(argument) });
	} catch (error) {
		tell({ kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
	}
});

say("here");
