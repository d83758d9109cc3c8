import { writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { openLedger } from "../../src/ledger/ledger.ts";
import { inLedger } from "../e2e/ledger-of.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { type Home, makeHome } from "../helpers/home.ts";
import { cleanup, expectNothingLeft, processesOf } from "../helpers/leaks.ts";
import { startModel } from "../helpers/model.ts";
import { type PiVersion, repositoryRoot } from "../helpers/repository.ts";
import { startRpc } from "../helpers/rpc.ts";
import { audit } from "./audit.ts";
import { type Violation, violations } from "./check.ts";
import { script } from "./child-model.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import { noteFault, readFaults } from "./fault-log.ts";
import { beginTrouble, diskTroubles, Locker } from "./machine-trouble.ts";
import { ParentDriver, sessionFileOf } from "./parent-driver.ts";
import { LEASE_MS, type MachineTrouble, type WorkloadPlan } from "./plan.ts";
import { Stopper } from "./stopper.ts";
import { Waker } from "./waker.ts";

/** Of the agent whose children never come to an end by themselves. */
export const MAX_TURNS = 3;

/** How long mischief may continue after the last prompt, and how long everything may then take to come home. */
const MISCHIEF_MS = 20_000;
const COME_HOME_MS = 60_000;
/** A host that idles leaves after 300 ms, one given up on at its next heartbeat. */
const LEAVE_MS = 10_000;

/** A host that died before it was ready is waited for as long as it may take to start: 20 s. */
const LOOK_MS = 30_000;

export interface WorkloadResult {
	seed: number;
	violations: Violation[];
	evidence: Evidence;
	tookMs: number;
	/** Where everything is that was written, if it was to be kept. */
	kept?: string;
}

export interface WorkloadOptions {
	/** The package as it is published; default: that of the test run. */
	extension?: string;
	pi?: PiVersion;
	/** Keep the scratch folder of a workload with violations. */
	keep?: boolean;
}

/** Runs a workload, with its faults, until everything has come home, and checks what is left. */
export async function runWorkload(plan: WorkloadPlan, options: WorkloadOptions = {}): Promise<WorkloadResult> {
	const started = performance.now();
	const lag = monitorEventLoopDelay({ resolution: 10 });
	lag.enable();
	const model = await startModel(script);
	const home = await makeHome({
		model,
		...(options.extension !== undefined && { extension: options.extension }),
		...(options.pi !== undefined && { pi: options.pi }),
		config: {
			subagents: { retry: { maxAttempts: plan.maxAttempts } },
			agents: { defaults: { subagents: { maxConcurrent: plan.laneLimit } } },
		},
		agents: {
			"counted.md": agentNamed("counted", "You count.", `tools: ls\nmaxTurns: ${MAX_TURNS}`),
			"alone.md": agentNamed("alone", "You work in a process of your own.", "tools: ls\nisolation: process"),
		},
	});
	let kept: string | undefined;
	try {
		// Where hosts in a ring can write too.
		const folder = join(home.agentDir, "faults");
		await mkdir(folder);
		await writeFile(join(folder, "plan.json"), JSON.stringify({ ...plan.faults, troubles: diskTroubles(home) }));
		const ledger = await openLedger(join(home.agentDir, "pi-geon", "ledger.sqlite"));
		audit(ledger.file);
		const waker = new Waker(folder);
		const stopper = new Stopper(ledger);
		const locker = new Locker(folder, ledger.file);
		const troubles: string[] = [];
		try {
			troubles.push(...(await attack(plan, home, folder)));
		} finally {
			stopper.close();
			waker.close();
			await locker.close();
			ledger.close();
		}
		await lookOnceMore(home);
		await expectNothingLeft(home, { withinMs: LEAVE_MS }).catch((error: Error) => troubles.push(error.message));
		lag.disable();
		const evidence = gatherEvidence({ home, plan, folder, troubles, lagMs: lag.max / 1e6 });
		const found = violations(evidence);
		if (found.length > 0 && options.keep) kept = home.scratch;
		return { seed: plan.seed, violations: found, evidence, tookMs: performance.now() - started, ...(kept && { kept }) };
	} finally {
		if (kept === undefined) await cleanup(home);
		await model.close();
	}
}

/**
 * A host that was killed while nobody needed it has left its socket. Whoever looks at the ledger next, once the lease of
 * that host has run out, takes it away: the host that any pi starts ahead when it is asked something.
 */
async function lookOnceMore(home: Home): Promise<void> {
	const notGone = () =>
		inLedger<{ lease_until: number }>(home, "SELECT lease_until FROM hosts WHERE state <> 'gone'").map(
			(host) => host.lease_until,
		);
	const deadline = performance.now() + LOOK_MS;
	while (notGone().some((until) => until > Date.now()) && performance.now() < deadline) await sleep(100);
	if (notGone().length === 0) return;
	const rpc = startRpc(home, { args: ["--session", sessionFileOf(home, "last-look")] });
	await rpc.promptAndSettle("Hello.", LOOK_MS);
	while (notGone().length > 0 && performance.now() < deadline) await sleep(50);
	await rpc.close();
}

async function attack(plan: WorkloadPlan, home: Home, folder: string): Promise<string[]> {
	const preload = pathToFileURL(join(repositoryRoot, "test", "faults", "inject.mjs")).href;
	const env = {
		NODE_OPTIONS: `--import ${preload}`,
		PI_GEON_FAULTS: folder,
		PI_GEON_LEASE_MS: String(LEASE_MS),
		PI_GEON_LEDGER_PATIENCE_MS: String(plan.ledgerPatienceMs),
	};
	const isOver = () => readFaults(folder).length >= plan.faults.atMost;
	const trouble = (what: MachineTrouble) => {
		if (!isOver()) beginTrouble(home, folder, what);
	};
	const powerCut = () => {
		if (isOver()) return;
		for (const { pid } of processesOf(home)) {
			noteFault(folder, { role: "all", pid, place: "everything", when: "at once", kind: "power cut", at: Date.now() });
			kill(pid);
		}
	};
	const parents = Object.entries(plan.parents).map(
		([name, steps]) => new ParentDriver({ home, name, steps, env, powerCut, trouble }),
	);
	try {
		await Promise.all(parents.map((parent) => parent.ask()));
		const calm = () => writeFileSync(join(folder, "calm"), "");
		const enough = setTimeout(calm, MISCHIEF_MS);
		const late = await settle(parents, performance.now() + MISCHIEF_MS + COME_HOME_MS);
		clearTimeout(enough);
		calm();
		return late;
	} finally {
		await Promise.all(parents.map((parent) => parent.close()));
	}
}

/** Keeps all sessions open until each has been told everything; answers what was still missing when time was up. */
async function settle(parents: ParentDriver[], deadline: number): Promise<string[]> {
	for (;;) {
		const missing = (await Promise.all(parents.map((parent) => parent.unsettled()))).flat();
		if (missing.length === 0 || performance.now() > deadline) return missing;
		await sleep(100);
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}
