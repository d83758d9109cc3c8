/**
 * A second process for the tests of the ledger: it does what it is told over Node's message channel, with the real
 * functions on the real file. `peers.ts` is the other end.
 */
import { DatabaseSync } from "node:sqlite";
import { setImmediate as breathe } from "node:timers/promises";
import { admitRun } from "../../src/ledger/admit.ts";
import { claimNext } from "../../src/ledger/claim.ts";
import { findOrReserveHost, hostReady, leaveIfIdle, listHosts, renewLeases } from "../../src/ledger/hosts.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { endRun, recordUsage } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import type { HostId, RunId } from "../../src/run/ids.ts";
import type { Run, RunningRun } from "../../src/run/run.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { Audit } from "./audit.ts";
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
	async open({ file, at }: { file: string; at: number }): Promise<string> {
		spinUntil(at);
		const ledger = await openLedger(file);
		ledger.close();
		return "opened";
	},

	async stateOf({ file, id }: { file: string; id: RunId }): Promise<Run["state"] | undefined> {
		return using(file, (ledger) => findRun(ledger, id)?.run.state);
	},

	/** Says "locked", and holds the write lock for so long after that. */
	async holdWriteLock({ file, forMs }: { file: string; forMs: number }): Promise<void> {
		const database = new DatabaseSync(file);
		database.exec("BEGIN IMMEDIATE");
		say("locked");
		await breathe();
		spinUntil(Date.now() + forMs);
		database.exec("COMMIT");
		database.close();
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
				const want = { profile: `round ${moment}`, at: moment, startWithinMs: 1000, socketOf };
				const { host, startIt } = findOrReserveHost(ledger, want);
				return { startIt, id: host.id };
			}),
		);
	},

	/**
	 * Admits runs one after the other and looks for a host after each, as a parent does. Answers how many hosts it had to
	 * start, and the runs that were left with a host that is gone.
	 */
	async admitAndFindHost({ file, runs }: { file: string; runs: number }): Promise<{ started: number; stranded: RunId[] }> {
		return using(file, (ledger) => {
			let started = 0;
			const stranded: RunId[] = [];
			for (let n = 0; n < runs; n++) {
				const { run } = admitRun(ledger, admission({ at: Date.now() }));
				const want = { profile: "p", at: Date.now(), startWithinMs: 60_000, socketOf };
				const { host, startIt } = findOrReserveHost(ledger, want);
				// One statement, so that both are seen at one moment.
				const seen = ledger.get<{ host: string; run: string }>(
					"SELECT (SELECT state FROM hosts WHERE id = ?) AS host, (SELECT state FROM runs WHERE id = ?) AS run",
					host.id,
					run.id,
				);
				if (seen?.host === "gone" && seen.run !== "ended") stranded.push(run.id);
				if (!startIt) continue;
				started++;
				hostReady(ledger, { id: host.id, pid: process.pid, pidStarted: "", leaseUntil: Date.now() + 60_000 });
			}
			return { started, stranded };
		});
	},

	/** Plays every ready host at once: leaves whenever it may, else works off the queue; until so many runs have ended. */
	async leaveWhenIdle({ file, runs }: { file: string; runs: number }): Promise<{ left: number }> {
		return using(file, (ledger) => {
			let left = 0;
			let ended = 0;
			say("leaving");
			const deadline = Date.now() + 15_000;
			while (ended < runs && Date.now() < deadline) {
				for (const { id, state } of listHosts(ledger)) {
					if (state !== "ready") continue;
					if (leaveIfIdle(ledger, id)) left++;
					const claimed = claim(ledger, id, { leaseMs: 60_000 });
					if (claimed && endRun(ledger, { id: claimed.id, fence: claimed.fence, outcome: success(), at: Date.now() }))
						ended++;
				}
			}
			return { left };
		});
	},

	/**
	 * A host among many: claims, works a moment, ends, and sweeps after the others, until nothing is left to do. Keeps an
	 * audit. One that is to die ends `endsBeforeDeath` runs, says "holding", and from then on only claims and writes.
	 */
	async workOff(job: { file: string; audit: string; leaseMs: number; total: number; endsBeforeDeath?: number }) {
		const { leaseMs } = job;
		const ledger = await openLedger(job.file);
		const audit = new Audit(job.audit);
		const host = registerHost(ledger, leaseMs);
		const held: RunningRun[] = [];
		let ends = 0;
		let renewed = 0;
		const beat = () => {
			if (Date.now() - renewed < leaseMs / 10) return;
			renewed = Date.now();
			if (!renewLeases(ledger, host, Date.now() + leaseMs)) throw new Error("given up on");
			const seenAt = audit.now();
			const { ended, requeued } = sweep(ledger, { at: Date.now(), outcomeOf });
			for (const { run } of requeued) audit.write({ what: "taken back", run: run.id, fence: run.fence - 1, at: seenAt });
			for (const { run } of ended) audit.write({ what: "ended", run: run.id, fence: run.fence, at: seenAt });
		};
		const dying = () => job.endsBeforeDeath !== undefined && ends >= job.endsBeforeDeath;
		while (countEnded(ledger) < job.total) {
			beat();
			const run = claim(ledger, host, { leaseMs });
			if (run) {
				audit.write({ what: "claimed", run: run.id, fence: run.fence, at: audit.now() });
				held.push(run);
			}
			for (const { id, fence } of held) recordUsage(ledger, id, fence, { ...NO_USAGE, turns: ends });
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
	const want = { profile: `host ${process.pid}`, at: Date.now(), startWithinMs: 60_000, socketOf };
	const { host } = findOrReserveHost(ledger, want);
	hostReady(ledger, { id: host.id, pid: process.pid, pidStarted: "", leaseUntil: Date.now() + leaseMs });
	return host.id;
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
