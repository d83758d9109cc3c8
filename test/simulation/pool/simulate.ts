import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { admitRun } from "../../../src/ledger/admit.ts";
import { sendToRun } from "../../../src/ledger/inbox.ts";
import { requestStop } from "../../../src/ledger/progress.ts";
import { newSessionId, type RunId, type SessionId } from "../../../src/run/ids.ts";
import { admission } from "../../ledger/samples.ts";
import { runsOf } from "../../pool/faults/aftermath.ts";
import { checkPoolEvidence, type PoolViolation } from "../../pool/faults/check.ts";
import { PARENT_SESSION, POOL } from "../../pool/faults/surroundings.ts";
import type { ScriptedTask } from "../../pool/faults/task.ts";
import { befall } from "./faults.ts";
import { PoolMachine } from "./machine.ts";
import { keepRunning, parentProgram, workerProgram } from "./programs.ts";
import { PoolWorld } from "./world.ts";

const RUNS_WITHIN_MS = 30_000;
const FAULTS_UNTIL_MS = 45_000;
/** In which everything must come home once nothing goes wrong any more. */
const COME_HOME_MS = 180_000;
const LANE_LIMIT = 6;

export interface PoolVerdict {
	seed: number;
	violations: PoolViolation[];
	runs: number;
	faults: number;
	takeovers: number;
	events: number;
	timeline: string[] | undefined;
}

/** Lives through one history of a pool, and holds it against the same promises as the attack on real processes. */
export async function simulatePool(seed: number, { traced = false } = {}): Promise<PoolVerdict> {
	const folder = mkdtempSync(join(tmpdir(), "pool-simulation-"));
	const world = new PoolWorld({ seed, folder, laneLimit: LANE_LIMIT, traced });
	const { random, scheduler } = world;
	const home = new PoolMachine(world, "home");
	const workers = ["w0", "w1", "w2"].slice(0, random.between(1, 3)).map((name) => new PoolMachine(world, name));
	try {
		const transcript: string[] = [];
		keepRunning(home, "parent", parentProgram(transcript));
		for (const machine of workers) keepRunning(machine, "worker", workerProgram(random.between(1, 4)));
		const asked = askForRuns(world, home);
		for (let at = random.between(500, 3000); at < FAULTS_UNTIL_MS; at += random.between(500, 8000)) {
			world.after(at, () => befall({ world, home, workers }));
		}
		await scheduler.run(() => scheduler.elapsed > FAULTS_UNTIL_MS || scheduler.isTired);
		world.isCalm = true;
		const open = () =>
			home.ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE delivery <> 'delivered'")?.n ?? 0;
		const left = () =>
			workers.flatMap(({ name, ledger }) =>
				ledger
					.all<{ id: string }>("SELECT id FROM runs WHERE state <> 'ended'")
					.map(({ id }) => `${id} still runs on ${name}`),
			);
		const until = scheduler.elapsed + COME_HOME_MS;
		const isHome = () => open() === 0 && left().length === 0 && world.postgres.open.length === 0;
		await scheduler.run(
			() => (scheduler.events % 50 === 0 && isHome()) || scheduler.elapsed > until || scheduler.isTired,
		);
		const { log } = world.postgres;
		const violations = checkPoolEvidence({
			...asked,
			runs: runsOf(home, transcript),
			database: { ...log, open: world.postgres.open },
			calls: world.calls,
			laneLimit: LANE_LIMIT,
			left: left(),
		});
		for (const error of scheduler.uncaught)
			violations.push({ promise: "nothing is thrown to nobody", because: `${error}` });
		return {
			...{ seed, violations, faults: world.faults.length, events: scheduler.events, timeline: world.timeline },
			runs: home.ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs")?.n ?? 0,
			takeovers: log.claims.filter(({ attempt }) => attempt > 0).length,
		};
	} finally {
		for (const machine of [home, ...workers]) machine.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Runs, messages to some of them and stops of others, at times of their own. */
function askForRuns(world: PoolWorld, home: PoolMachine) {
	const { random, scheduler } = world;
	const { ledger } = home;
	const messages: { body: string; runId: string }[] = [];
	const stopped = new Set<string>();
	const sessions: SessionId[] = [];
	const admit = (n: number): RunId => {
		const task: ScriptedTask = { name: `t${n}`, steps: random.between(2, 8), ms: random.between(50, 1500) };
		const known = sessions.length > 0 && random.chance(0.2) ? random.pick(sessions) : undefined;
		const id = known ?? newSessionId();
		sessions.push(id);
		const base = admission({ task: JSON.stringify(task), session: id });
		const plan = {
			...base.plan,
			session: { id, file: join(home.agentDir, "sessions", `${id}.jsonl`), resumed: known !== undefined },
			limits: { ...base.plan.limits, timeoutMs: 3_600_000, idleTimeoutMs: 3_600_000, toolTimeoutMs: 3_600_000 },
			pool: { name: POOL.name, maxAttempts: 1000 },
			maxAttempts: 1000,
		};
		const mode = random.chance(0.2) ? ("foreground" as const) : ("background" as const);
		const profile = home.profiles.for(plan).digest;
		return admitRun(ledger, { ...base, plan, mode, profile, parentSession: PARENT_SESSION, at: scheduler.now }).run.id;
	};
	for (let n = random.between(2, 8); n > 0; n--) {
		world.after(random.between(0, RUNS_WITHIN_MS), () => {
			const id = admit(n);
			if (random.chance(0.4)) {
				const body = `message-${n}`;
				world.after(random.between(0, 8000), () => {
					if (sendToRun(ledger, id, { body, at: scheduler.now }) !== undefined) messages.push({ body, runId: id });
				});
			}
			if (random.chance(0.2)) {
				world.after(random.between(0, 10_000), () => {
					if (requestStop(ledger, id, { at: scheduler.now, by: "user" })) stopped.add(id);
				});
			}
		});
	}
	return { messages, stopped };
}
