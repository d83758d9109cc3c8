import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Home, makeHome } from "../test/helpers/home.ts";
import { cleanup, processesOf } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { text } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { runPi } from "../test/helpers/run-pi.ts";
import { bareSessions, piGeon } from "./contenders.ts";
import { cpuAtExit, cpuOf } from "./cpu.ts";
import { median } from "./figures.ts";
import { lifeCosts } from "./ledger-life.ts";

/** A few figures that are quick to get, side by side, and mean the same on a busy machine. */
export interface Ratios {
	/** Processor time of a later delegation, parent and host together, over a bare session in the parent's process. */
	delegationOverBareSession: number;
	/** Processor time that a start of pi takes more with the extension, over a start without it. */
	startTaxOverStart: number;
	/** One run in the ledger, from its admission to its delivery, with 10,000 runs in it over with 100. */
	fullLedgerOverEmpty: number;
}

/** What was measured when it was last looked at closely: written by `npm run bench -- --record`. */
export const RECORDED_FILE = join(repositoryRoot, "bench", "recorded.json");

/** Processor time, not time: whatever else the machine does counts for less. */
export async function ratiosOfNow(extension: string, enough: Partial<Ratios> = {}): Promise<Ratios> {
	return {
		delegationOverBareSession: await delegationOverBareSession(extension),
		startTaxOverStart: await startTaxOverStart(extension, enough.startTaxOverStart),
		fullLedgerOverEmpty: await fullLedgerOverEmpty(),
	};
}

const TRIPS_BEFORE = 3;
const TRIPS = 12;

async function delegationOverBareSession(extension: string): Promise<number> {
	const ours = await piGeon(extension);
	const bare = await bareSessions(1);
	const parents = [ours, bare];
	try {
		for (const parent of parents) for (let trip = 0; trip < TRIPS_BEFORE; trip++) await parent.roundTrip();
		const before = parents.map(({ home }) => cpuOfAll(home));
		for (let trip = 0; trip < TRIPS; trip++) for (const parent of parents) await parent.roundTrip();
		const [byOurs = 0, byBare = 0] = parents.map(({ home }, index) => cpuOfAll(home) - (before[index] ?? 0));
		return byOurs / byBare;
	} finally {
		for (const parent of parents) await parent.close();
	}
}

const cpuOfAll = (home: Home): number =>
	processesOf(home)
		.map(({ pid }) => cpuOf(pid))
		.reduce((sum, each) => sum + each, 0);

const STARTS = 6;
/** What the machine does beside may add to each of the first starts: so many show whether it was that. */
const MOST_STARTS = 30;

async function startTaxOverStart(extension: string, enough = Number.POSITIVE_INFINITY): Promise<number> {
	const model = await startModel(() => text("Hello."));
	const homes = [await makeHome({ model, extension }), await makeHome({ model, extension: false })];
	const took: number[][] = homes.map(() => []);
	// The least of several: whatever else the machine does only adds to it.
	const ratio = () => {
		const [withIt = 0, without = 0] = took.map((each) => Math.min(...each));
		return (withIt - without) / without;
	};
	try {
		for (let start = -1; start < STARTS || (start < MOST_STARTS && ratio() > enough); start++) {
			for (const [index, home] of homes.entries()) {
				const cpu = cpuAtExit(join(home.scratch, "cpu"));
				// Its own: what other tests left compiled, and how well, must not decide.
				const env = { ...cpu.env, NODE_COMPILE_CACHE: join(home.scratch, "compiled") };
				await runPi(home, ["--mode", "json", ...home.extensionArgs, "-p", "Hi."], { env, timeoutMs: 60_000 });
				if (start >= 0) took[index]?.push(cpu.read()); // The first one transpiles and compiles.
			}
		}
	} finally {
		for (const home of homes) await cleanup(home);
		await model.close();
	}
	return ratio();
}

async function fullLedgerOverEmpty(): Promise<number> {
	const dir = mkdtempSync(join(tmpdir(), "pi-geon-ratios-"));
	try {
		const costs = await lifeCosts({ dir, sizes: [100, 10_000], rounds: 100 });
		const [empty = 0, full = 0] = costs.map((took) =>
			Object.values(took)
				.map((each) => median(each))
				.reduce((sum, each) => sum + each, 0),
		);
		return full / empty;
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}
