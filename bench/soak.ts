/**
 * Thousands of short runs through one host: what they leave behind in its memory, its file descriptors, the ledger and
 * on the disk. See docs/reliability.md.
 *
 *   node bench/soak.ts [--runs 5000] [--json]
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { inLedger } from "../test/e2e/ledger-of.ts";
import { makeHome } from "../test/helpers/home.ts";
import { hostPids } from "../test/helpers/hosts.ts";
import { cleanup, expectNothingLeft } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { dispatch } from "../test/helpers/model-scripts.ts";
import { text, toolCall } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { type RpcClient, startRpc } from "../test/helpers/rpc.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { mb } from "./figures.ts";
import { type Measured, report } from "./report.ts";

const { values } = parseArgs({
	options: { runs: { type: "string", default: "5000" }, json: { type: "boolean", default: false } },
});
const RUNS = Number(values.runs);
/** The lane's limit. */
const AT_ONCE = 16;
/** In one message. */
const TOGETHER = 50;
/** After so many the parent begins a new session: its own history must not become what is measured. */
const A_SESSION = 500;
const SAMPLE_EVERY = 250;
/** Until caches are filled and code is compiled. */
const WARM_UP = Math.min(1000, RUNS / 4);

interface Sample {
	runs: number;
	heap: number;
	resident: number;
	/** Connections to the model come and go; pi keeps them for a few seconds. */
	connections: number;
	/** All other file descriptors. */
	descriptors: number;
	ledger: number;
	disk: number;
}

const staged = stagePackage();
const model = await startModel(
	dispatch({
		parent: ({ lastMessage }) =>
			lastMessage?.role === "tool"
				? text("Noted.")
				: Array.from({ length: TOGETHER }, (_, n) => toolCall("subagent", { agent: "explorer", task: `Look, ${n}.` })),
		child: ({ turn }) =>
			turn === 0
				? [text("Looking."), toolCall("ls", { path: "." })]
				: toolCall("subagent_finalize", { status: "SUCCESS", result: "Seen." }),
	}),
);
const probe = join(staged.path, "memory-probe");
const preload = pathToFileURL(join(repositoryRoot, "bench", "fixtures", "memory-probe.mjs")).href;
const home = await makeHome({
	model,
	extension: staged.path,
	config: { agents: { defaults: { subagents: { maxConcurrent: AT_ONCE } } } },
	env: {
		PI_GEON_HOST_IDLE_MS: "60000",
		NODE_OPTIONS: `--expose-gc --import ${preload}`,
		MEMORY_PROBE_FILE: probe,
	},
});
const samples: Sample[] = [];
const began = performance.now();
try {
	const rpc = startRpc(home);
	await started(rpc);
	await runAll(rpc);
	await rpc.close();
	// The host leaves by itself when nobody has needed it for a while.
	await expectNothingLeft(home, { withinMs: 120_000 });
	report(`${RUNS} runs through one host, ${Math.round((performance.now() - began) / 1000)} s`, figures());
} finally {
	await cleanup(home);
	await model.close();
	staged.remove();
}

/** On a busy machine a pi takes its time. */
async function started(rpc: RpcClient): Promise<void> {
	rpc.child.stdin.write(`${JSON.stringify({ type: "get_state", id: "started" })}\n`);
	await rpc.waitForEvent(({ type }) => type === "response", { timeoutMs: 120_000 });
}

async function runAll(rpc: RpcClient): Promise<void> {
	for (let done = 0; done < RUNS; done += TOGETHER) {
		if (done > 0 && done % A_SESSION === 0) await rpc.send({ type: "new_session" });
		await rpc.promptAndSettle("Go.", 120_000);
		rpc.events.length = 0;
		model.requests.length = 0;
		if ((done + TOGETHER) % SAMPLE_EVERY === 0) await sample(done + TOGETHER);
	}
}

async function sample(runs: number): Promise<void> {
	const [pid, ...others] = hostPids(home);
	if (pid === undefined || others.length > 0) throw new Error(`There are ${others.length + 1} hosts, not one.`);
	const { heapUsed, rss } = await collectGarbage(pid);
	const places = { ledger: join(home.agentDir, "pi-geon"), sessions: join(home.home, ".pi", "subagent-sessions") };
	samples.push({
		runs,
		heap: heapUsed,
		resident: rss,
		...openFiles(pid),
		ledger: statSync(join(places.ledger, "ledger.sqlite")).size,
		disk: sizeBelow(places.ledger) + sizeBelow(places.sessions),
	});
	const last = samples.at(-1);
	if (last)
		process.stderr.write(
			`${runs} runs: heap ${mb(last.heap)}, resident ${mb(last.resident)}, ${last.descriptors} descriptors and ${last.connections} connections to the model\n`,
		);
}

function openFiles(pid: number): Pick<Sample, "connections" | "descriptors"> {
	// Two numbers in hexadecimal, an address and a port, at each end.
	const port = Number(new URL(model.baseUrl).port).toString(16).toUpperCase().padStart(4, "0");
	const lines = readFileSync(`/proc/${pid}/net/tcp`, "utf8").trim().split("\n").slice(1);
	const toModel = lines.map((line) => line.trim().split(/\s+/)).filter((columns) => columns[2]?.endsWith(`:${port}`));
	const sockets = new Set(toModel.map((columns) => `socket:[${columns[9]}]`));
	const open = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`));
	const connections = open.filter((target) => sockets.has(target)).length;
	return { connections, descriptors: open.length - connections };
}

function targetOf(descriptor: string): string {
	try {
		return readlinkSync(descriptor);
	} catch (error) {
		if (error instanceof Error && "code" in error) return "closed meanwhile";
		throw error;
	}
}

async function collectGarbage(pid: number): Promise<NodeJS.MemoryUsage> {
	rmSync(probe, { force: true });
	process.kill(pid, "SIGUSR2");
	while (!existsSync(probe)) await sleep(20);
	return JSON.parse(readFileSync(probe, "utf8")) as NodeJS.MemoryUsage;
}

function sizeBelow(folder: string): number {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => statSync(join(folder, name)))
		.reduce((sum, { size }) => sum + size, 0);
}

function figures(): Measured[] {
	const warm = samples.filter(({ runs }) => runs >= WARM_UP);
	const perThousand = (of: (sample: Sample) => number) => 1000 * slope(warm.map((one) => [one.runs, of(one)]));
	const [first, last] = [warm[0], warm.at(-1)];
	if (!first || !last) throw new Error("Too few runs to see a slope.");
	const heap = perThousand(({ heap }) => heap);
	const resident = perThousand(({ resident }) => resident);
	const open = inLedger<{ n: number }>(
		home,
		"SELECT count(*) AS n FROM runs WHERE state <> 'ended' OR delivery = 'owed'",
	);
	const ended = inLedger<{ n: number }>(
		home,
		"SELECT count(*) AS n FROM runs WHERE json_extract(outcome, '$.status') = 'success'",
	);
	const hosts = inLedger<{ n: number }>(home, "SELECT count(*) AS n FROM hosts");
	const most = (some: Sample[]) => Math.max(...some.map((one) => one.descriptors));
	const half = samples.length / 2;
	const descriptors = { early: most(samples.slice(0, half)), late: most(samples.slice(half)) };
	const kb = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
	return [
		{ what: "hosts", value: hosts[0]?.n ?? 0, shown: String(hosts[0]?.n), goal: { atMost: 1, shown: "one" } },
		{
			what: "runs that did not succeed",
			value: RUNS - (ended[0]?.n ?? 0),
			shown: String(RUNS - (ended[0]?.n ?? 0)),
			goal: { atMost: 0, shown: "none" },
		},
		{
			what: "runs open or owed at the end",
			value: open[0]?.n ?? 0,
			shown: String(open[0]?.n),
			goal: { atMost: 0, shown: "none" },
		},
		{ what: "heap of the host at the end, garbage collected", value: last.heap, shown: mb(last.heap) },
		{
			what: "heap: slope per 1,000 runs",
			value: heap,
			shown: kb(heap),
			// A kilobyte a run would be a leak worth finding: 5,000 runs keep less than 1 MB.
			goal: { atMost: 200 * 1024, shown: "under 200 KB" },
		},
		{ what: "resident memory of the host at the end", value: last.resident, shown: mb(last.resident) },
		{ what: "resident memory: slope per 1,000 runs", value: resident, shown: kb(resident) },
		{
			what: "file descriptors of the host beside connections to the model: more in the second half than in the first",
			value: descriptors.late - descriptors.early,
			shown: `${descriptors.late - descriptors.early} (at most ${descriptors.late})`,
			goal: { atMost: 0, shown: "none" },
		},
		{
			what: "connections of the host to the model, at most",
			value: Math.max(...samples.map(({ connections }) => connections)),
			shown: String(Math.max(...samples.map(({ connections }) => connections))),
		},
		{
			what: "ledger: growth a run",
			value: (last.ledger - first.ledger) / (last.runs - first.runs),
			shown: kb((last.ledger - first.ledger) / (last.runs - first.runs)),
		},
		{
			what: "disk: growth a run, transcripts and logs included",
			value: (last.disk - first.disk) / (last.runs - first.runs),
			shown: kb((last.disk - first.disk) / (last.runs - first.runs)),
		},
	];
}

/** Of the line that fits best, by least squares. */
function slope(points: [x: number, y: number][]): number {
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
	const together = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
	return together / points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
}
