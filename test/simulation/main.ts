import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { ignoreKilled } from "./killed.ts";
import { FOUND_WITHIN, MUTATIONS, mutate } from "./mutations.ts";

/**
 * npm run simulate -- --seeds N --from S: lives through N histories and says which broke a promise.
 * npm run simulate -- --seed S: one history, as a timeline; a failing one is shrunk first.
 * With --mutation NAME, a known bug is put into the product, and the first history that shows it ends the search.
 * npm run simulate -- --mutations: searches for each known bug from seed 1 on, and says where `mutations.ts` is out of date.
 */

interface Share {
	from: number;
	to: number;
	step: number;
	mutation: string | undefined;
}

interface Progress {
	seed: number;
	broken: { promise: string; because: string }[];
	runs: number;
	faults: number;
}

const REPORT_EVERY_MS = 5000;
const INTERRUPTED = 130;
/** Most of what a history makes is garbage before this is full, and need not be copied. */
const YOUNG_MB = 192;

process.on("unhandledRejection", ignoreKilled);

if (isMainThread) process.exitCode = await main();
else await work(workerData as Share);

async function main(): Promise<number> {
	const { values } = parseArgs({
		options: {
			seeds: { type: "string", default: "1000" },
			from: { type: "string", default: "1" },
			seed: { type: "string" },
			mutation: { type: "string" },
			mutations: { type: "boolean", default: false },
		},
	});
	const { mutation } = values;
	if (values.mutations) return searchAll();
	if (values.seed !== undefined) return tell(Number(values.seed), mutation);
	const [seeds, from] = [Number(values.seeds), Number(values.from)];
	if (!(seeds > 0) || !Number.isInteger(from)) {
		console.error("Usage: npm run simulate -- [--seeds N] [--from S] | --seed S | --mutations");
		return 2;
	}
	return live(from, from + seeds, mutation);
}

/** The simulator, with the bug in what it simulates, if there is to be one. */
async function simulator(name: string | undefined) {
	const mutation = MUTATIONS.find((one) => one.name === name);
	if (name !== undefined && !mutation) throw new Error(`There is no mutation "${name}".`);
	if (mutation) mutate(mutation);
	const [{ simulate }, { shrink }] = await Promise.all([import("./simulate.ts"), import("./shrink.ts")]);
	return { simulate, shrink };
}

/** One history, for people. */
async function tell(seed: number, mutation: string | undefined): Promise<number> {
	const { simulate, shrink } = await simulator(mutation);
	const first = await simulate(seed, { traced: true });
	const [violation] = first.violations;
	const verdict = violation ? await shrink(seed, violation.promise) : first;
	console.log(verdict.timeline?.join("\n"));
	if (violation)
		console.log(`\nThe shortest plan that still breaks it:\n${JSON.stringify(verdict.history, undefined, "\t")}`);
	for (const { promise, because } of verdict.violations) console.log(`BROKEN ${promise}: ${because}`);
	return violation ? 1 : 0;
}

async function live(from: number, to: number, mutation: string | undefined): Promise<number> {
	const started = performance.now();
	// A search ends with the first history that shows the bug, often before a second worker has loaded everything.
	const workers = mutation === undefined ? Math.min(availableParallelism(), to - from) : 1;
	const total = { done: 0, runs: 0, faults: 0 };
	const failed: number[] = [];
	const enough = new AbortController();
	const take = ({ seed, broken, runs, faults }: Progress): void => {
		total.done++;
		total.runs += runs;
		total.faults += faults;
		if (broken.length === 0) return;
		failed.push(seed);
		console.log(`seed ${seed}`);
		for (const { promise, because } of broken) console.log(`  ${promise}: ${because}`);
		if (shows(mutation, broken)) enough.abort();
	};
	const seconds = () => (performance.now() - started) / 1000;
	const soFar = () =>
		`${failed.length} broken, ${seconds().toFixed(0)} s, ${(total.done / seconds()).toFixed(1)} histories a second`;
	const report = setInterval(
		() => console.error(`${total.done} of ${to - from} histories, ${soFar()}`),
		REPORT_EVERY_MS,
	);
	let isInterrupted = false;
	process.once("SIGINT", () => {
		isInterrupted = true;
		enough.abort();
	});
	try {
		await Promise.all(
			Array.from({ length: workers }, (_, index) =>
				inWorker({ from: from + index, to, step: workers, mutation }, take, enough.signal),
			),
		);
	} finally {
		clearInterval(report);
	}
	console.log(`${total.done} histories, ${total.runs} runs, ${total.faults} faults, ${soFar()}`);
	if (failed[0] !== undefined) console.log(`See one with: npm run simulate -- --seed ${Math.min(...failed)}`);
	if (failed.length > 0) return 1;
	if (isInterrupted) console.log(`Interrupted: ${to - from - total.done} were not lived through.`);
	return isInterrupted ? INTERRUPTED : 0;
}

/** Searches for each known bug, as many at once as there are cores. */
async function searchAll(): Promise<number> {
	const waiting = [...MUTATIONS];
	let isUpToDate = true;
	const search = async (): Promise<void> => {
		for (let next = waiting.shift(); next; next = waiting.shift()) {
			const { name, foundAt } = next;
			const seed = await firstThatShows(name);
			if (seed !== foundAt) isUpToDate = false;
			const found = seed === undefined ? `not found within ${FOUND_WITHIN} histories` : `found at seed ${seed}`;
			console.log(`${name}: ${found}${seed === foundAt ? "" : `, and foundAt is ${foundAt}`}`);
		}
	};
	await Promise.all(Array.from({ length: availableParallelism() }, search));
	return isUpToDate ? 0 : 1;
}

async function firstThatShows(mutation: string): Promise<number | undefined> {
	let found: number | undefined;
	const take = ({ seed, broken }: Progress): void => {
		if (shows(mutation, broken)) found = seed;
	};
	await inWorker({ from: 1, to: FOUND_WITHIN + 1, step: 1, mutation }, take, new AbortController().signal);
	return found;
}

/** Whether this is what the mutation is known to break. */
function shows(name: string | undefined, broken: Progress["broken"]): boolean {
	const wanted = MUTATIONS.find((mutation) => mutation.name === name)?.breaks;
	return broken.some(({ promise }) => promise === wanted);
}

function inWorker(share: Share, take: (progress: Progress) => void, enough: AbortSignal): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const worker = new Worker(new URL(import.meta.url), {
		workerData: share,
		resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
	});
	worker.on("message", take);
	worker.once("error", reject);
	const end = () => void worker.terminate();
	enough.addEventListener("abort", end);
	worker.once("exit", (code) => {
		enough.removeEventListener("abort", end);
		if (code === 0 || enough.aborted) resolve();
		else reject(new Error(`A worker ended with code ${code}.`));
	});
	return promise;
}

async function work({ from, to, step, mutation }: Share): Promise<void> {
	const { simulate } = await simulator(mutation);
	// Thousands of errors are expected and caught. `--seed` tells where one comes from.
	Error.stackTraceLimit = 0;
	for (let seed = from; seed < to; seed += step) {
		const { violations: broken, runs, faults } = await simulate(seed);
		parentPort?.postMessage({ seed, broken, runs, faults } satisfies Progress);
		if (shows(mutation, broken)) return;
	}
}
