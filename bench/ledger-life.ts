import { join } from "node:path";
import { outcomeOf } from "../src/collect/outcome.ts";
import { admitRun } from "../src/ledger/admit.ts";
import { owedTo } from "../src/ledger/deliveries.ts";
import { findOrReserveHost, hostReady } from "../src/ledger/hosts.ts";
import { type Ledger, openLedger } from "../src/ledger/ledger.ts";
import { openRunsOf } from "../src/ledger/open-runs.ts";
import { endRun } from "../src/ledger/progress.ts";
import type { HostId, RunId } from "../src/run/ids.ts";
import { redactedBefore } from "../src/run/redacted.ts";
import { NO_USAGE } from "../src/run/usage.ts";
import { claimNext, settleDelivery } from "../test/ledger/one-run.ts";
import { fillLedger, plan } from "./full-ledger.ts";

const PARENT = "the session";
const outcome = redactedBefore(
	outcomeOf(
		{ kind: "finalized", finalized: { status: "SUCCESS", result: "Seen." } },
		{ usage: NO_USAGE, displayItems: [], attempts: 1, warnings: [] },
	),
);

interface Bench {
	ledger: Ledger;
	hostId: HostId;
	took: Record<string, number[]>;
}

/** What each step of a run's life takes in ledgers with so many ended runs, in the order of their sizes. */
export async function lifeCosts(setup: {
	dir: string;
	sizes: readonly number[];
	rounds: number;
}): Promise<Record<string, number[]>[]> {
	const benches: Bench[] = [];
	try {
		for (const size of setup.sizes) benches.push(await prepared(join(setup.dir, `${size}.sqlite`), size));
		// In turns, so that what else the machine does meets all sizes alike.
		for (let round = 0; round < setup.rounds; round++) for (const bench of benches) oneLife(bench);
	} finally {
		for (const { ledger } of benches) ledger.close();
	}
	return benches.map(({ took }) => took);
}

async function prepared(file: string, size: number): Promise<Bench> {
	await fillLedger(file, size, PARENT);
	const ledger = await openLedger(file);
	const { host } = findOrReserveHost(ledger, {
		profile: { digest: "p" },
		at: 1,
		startWithinMs: 1000,
		socketOf: () => "s",
	});
	hostReady(ledger, { id: host.id, pid: 1, pidStarted: "1", leaseUntil: Number.MAX_SAFE_INTEGER });
	return { ledger, hostId: host.id, took: {} };
}

/** One run from its admission to its delivery, each step timed. */
function oneLife({ ledger, hostId, took }: Bench): void {
	const timed = <Result>(name: string, work: () => Result): Result => {
		const started = performance.now();
		const result = work();
		took[name] ??= [];
		took[name].push(performance.now() - started);
		return result;
	};
	const admission = {
		plan: plan(),
		mode: "background" as const,
		parentSession: PARENT,
		profile: "p",
		laneLimit: 8,
		at: 1,
	};
	const id: RunId = timed("admit", () => admitRun(ledger, admission)).run.id;
	const claimed = timed("claim", () => claimNext(ledger, { hostId, profile: "p", at: 1, leaseMs: 1e9 }));
	timed("list what is open", () => openRunsOf(ledger, PARENT, Date.now()));
	timed("end", () => endRun(ledger, { id, fence: claimed?.run.fence ?? 0, outcome, at: 2 }));
	timed("list what is owed", () => owedTo(ledger, PARENT, { at: Date.now() }));
	timed("deliver", () => settleDelivery(ledger, id, 3));
}
