import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { admitRun } from "../../../src/ledger/admit.ts";
import { sendToRun } from "../../../src/ledger/inbox.ts";
import { placesIn } from "../../../src/ledger/places.ts";
import { requestStop } from "../../../src/ledger/progress.ts";
import { NO_LOG } from "../../../src/log/log.ts";
import { PoolDatabase } from "../../../src/pool/database.ts";
import { jobIdOf } from "../../../src/pool/job.ts";
import { limitLane } from "../../../src/pool/status.ts";
import { newSessionId, type RunId } from "../../../src/run/ids.ts";
import type { Outcome } from "../../../src/run/outcome.ts";
import { type Random, randomFrom } from "../../faults/random.ts";
import { admission } from "../../ledger/samples.ts";
import { inDatabase, type PostgresServer, startPostgres } from "../postgres-server.ts";
import { checkPoolEvidence, type PoolViolation } from "./check.ts";
import {
	auditLedger,
	type CallEvidence,
	DATABASE_AUDIT,
	type DatabaseEvidence,
	linesOf,
	type PoolEvidence,
	type RunEvidence,
} from "./evidence.ts";
import { FAULTS, type FaultKind, type LoggedPoolFault } from "./fault-kinds.ts";
import { Machine } from "./machine.ts";
import { Network } from "./proxy.ts";
import { PARENT_SESSION, POOL, profilesOf } from "./surroundings.ts";
import type { Entry, ScriptedTask } from "./task.ts";

export interface PoolAttack {
	runs: number;
	faults: number;
	seed: number;
	workers?: number;
	places?: number;
	laneLimit?: number;
	kinds?: readonly FaultKind[];
	/** Between two faults, about. */
	everyMs?: number;
	/** One run in so many changes something, is stopped, and gets a message. */
	oneIn?: { changes: number; stop: number; message: number };
	mutation?: string;
	/** Each step takes so long. */
	stepMs?: number;
	/** Each run is admitted when the one before has ended, and does its steps at once: for measurements. */
	oneByOne?: boolean;
	/** False: hosts of the machine that asks do them. */
	pool?: boolean;
	/** After the last fault. */
	settleWithinMs?: number;
	say?(line: string): void;
}

export interface PoolAttackResult {
	evidence: PoolEvidence;
	faults: LoggedPoolFault[];
	violations: PoolViolation[];
	tookMs: number;
	folder: string;
}

/** Attacks a pool of real PostgreSQL, ledgers, couriers and porters, and holds what is left against its promises. */
export async function attackPool(attack: PoolAttack): Promise<PoolAttackResult> {
	const began = performance.now();
	const folder = mkdtempSync(join(tmpdir(), "pool-faults-"));
	const server = await startPostgres(["-c", "max_connections=200"]);
	const machines: Machine[] = [];
	try {
		const stage = await setStage(attack, { folder, server, machines });
		const { messages, stopped } = await play(attack, stage);
		const left = await untilSettled(attack, stage);
		const evidence = { ...(await gather(stage)), messages, stopped, laneLimit: stage.laneLimit, left };
		const violations = checkPoolEvidence(evidence);
		return { evidence, faults: stage.faults, violations, tookMs: performance.now() - began, folder };
	} finally {
		for (const machine of machines) await machine.close();
		await server.stop();
	}
}

export interface Stage {
	server: PostgresServer;
	url: string;
	home: Machine;
	workers: Machine[];
	random: Random;
	faults: LoggedPoolFault[];
	/** What ends after a while: a suspension, a full disk. */
	underWay: Set<Promise<void>>;
	folder: string;
	calls: string;
	transcript: string;
	laneLimit: number;
	say(line: string): void;
}

async function setStage(
	{ seed, workers: count = 4, places = 4, laneLimit = 10, mutation, say = () => {} }: PoolAttack,
	{ folder, server, machines }: { folder: string; server: PostgresServer; machines: Machine[] },
): Promise<Stage> {
	const url = await server.newDatabase();
	const name = new URL(url).pathname.slice(1);
	const database = await PoolDatabase.open({ url, name: POOL.name, log: NO_LOG });
	await limitLane(database, POOL.name, { total: laneLimit, perRequester: null });
	await database.close();
	await inDatabase(url, (client) => client.query(DATABASE_AUDIT));
	const calls = join(folder, "calls.jsonl");
	const transcript = join(folder, "transcript");
	const isRoot = process.getuid?.() === 0;
	const machine = async (called: string, program: readonly string[], ownDisk: boolean) => {
		const network = await new Network(server.port).open();
		const made = new Machine({
			...{ name: called, folder, network, calls, mutation, ownDisk },
			program: [join(import.meta.dirname, program[0] ?? ""), ...program.slice(1)],
			url: server.url(name, network.port),
		});
		await made.open();
		machines.push(made);
		return made;
	};
	const home = await machine("home", ["parent-process.ts", transcript], false);
	auditLedger(home.ledger);
	const workers: Machine[] = [];
	for (let n = 0; n < count; n++) workers.push(await machine(`w${n}`, ["worker-process.ts", String(places)], isRoot));
	const project = join(home.home, "project");
	mkdirSync(project);
	writeFileSync(join(project, "NOTE.txt"), "a note\n");
	const git = (...args: string[]) =>
		execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: project });
	git("init", "--quiet", "--initial-branch=main");
	git("add", "--all");
	git("commit", "--quiet", "--message=first");
	for (const each of machines) each.start();
	return {
		...{ server, url, home, workers, folder, calls, transcript, laneLimit, say },
		random: randomFrom(seed),
		faults: [],
		underWay: new Set(),
	};
}

async function play(attack: PoolAttack, stage: Stage) {
	const { runs, faults, everyMs = 1000, kinds = Object.keys(FAULTS) as FaultKind[] } = attack;
	const { changes, stop, message } = attack.oneIn ?? { changes: 12, stop: 15, message: 6 };
	const { home, random } = stage;
	const messages: { body: string; runId: string }[] = [];
	const stopped = new Set<string>();
	const ids: RunId[] = [];
	const withoutChanges: RunId[] = [];
	const sessions: { id: ReturnType<typeof newSessionId>; file: string }[] = [];
	const admit = (n: number) => {
		const task: ScriptedTask = {
			name: `t${n}`,
			steps: random.between(3, 8),
			ms: attack.stepMs ?? random.between(20, 250),
		};
		if (attack.oneByOne) task.steps = 5;
		if (n % changes === changes - 1) task.changes = true;
		const known =
			!attack.oneByOne && !task.changes && random.chance(0.1) ? sessions.at(-random.between(1, 5)) : undefined;
		const id = known?.id ?? newSessionId();
		const session = { id, file: join(home.home, "sessions", `${id}.jsonl`) };
		const base = admission({ task: JSON.stringify(task), session: id });
		const plan = {
			...base.plan,
			cwd: join(home.home, "project"),
			session: { ...session, resumed: known !== undefined },
			limits: { ...base.plan.limits, timeoutMs: 3_600_000, idleTimeoutMs: 3_600_000, toolTimeoutMs: 3_600_000 },
			...(attack.pool !== false && { pool: { name: POOL.name, maxAttempts: 1000 } }),
			maxAttempts: 1000,
			...(task.changes && { tree: { maxFiles: 1000, maxBytes: 1e7, link: [], submodules: "warn" as const } }),
		};
		const profile = profilesOf(home.agentDir, home.env).for(plan).digest;
		const mode = n % 5 === 0 ? ("foreground" as const) : ("background" as const);
		const { run } = admitRun(home.ledger, {
			...base,
			plan,
			mode,
			profile,
			parentSession: PARENT_SESSION,
			at: Date.now(),
		});
		ids.push(run.id);
		if (task.changes) return;
		sessions.push(session);
		withoutChanges.push(run.id);
	};
	admit(0);
	while (faults > 0 && (await openJobs(stage)).length === 0 && openRuns(stage) > 0) await pause(100);
	// Runs come as long as faults do, so that each fault meets some.
	for (let fault = 0, admitted = 1; fault < faults || admitted < runs; ) {
		const due = faults === 0 ? runs : Math.ceil((runs * (fault + 1)) / faults);
		for (; admitted < Math.min(runs, due); admitted++) {
			admit(admitted);
			while (attack.oneByOne && openRuns(stage) > 0) await pause(5);
			if (admitted % message === message - 1) {
				// Not to one with changes: what continues its session is refused until somebody decides about them.
				const to = withoutChanges.at(-random.between(1, Math.min(6, withoutChanges.length))) as RunId;
				const body = `message-${admitted}`;
				if (sendToRun(home.ledger, to, { body, at: Date.now() }) !== undefined) messages.push({ body, runId: to });
			}
			if (admitted % stop === stop - 1) {
				// One that a worker has, if there is one: the others are simply cancelled.
				const away = home.ledger.all<{ id: RunId }>(
					"SELECT id FROM runs WHERE state = 'running' AND away LIKE '%\"worker\"%'",
				);
				const whom =
					away.length > 0 ? random.pick(away).id : (ids.at(-random.between(1, Math.min(8, ids.length))) as RunId);
				if (requestStop(home.ledger, whom, { at: Date.now(), by: "user" })) stopped.add(whom);
			}
		}
		if (fault < faults) {
			await pause(everyMs * (0.5 + random.next()));
			const kind = random.pick(kinds.flatMap((one) => Array<FaultKind>(OFTEN[one] ?? 1).fill(one)));
			stage.faults.push(await FAULTS[kind](stage));
			fault++;
			if (fault % 20 === 0) stage.say(`${fault} faults, ${admitted} runs, ${openRuns(stage)} open`);
		}
	}
	return { messages, stopped };
}

/** Most faults meet workers: if the one courier or the one database died every other second, nothing would ever be under way. */
const OFTEN: Partial<Record<FaultKind, number>> = {
	"worker killed": 4,
	"porter killed": 4,
	"host of a child killed": 4,
	"worker suspended": 3,
	"connections cut": 4,
	"network silent": 2,
	"network slow": 3,
	"disk full": 2,
};

const openRuns = ({ home }: Stage): number =>
	home.ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE delivery <> 'delivered'")?.n ?? 0;

/** Waits until all is told and done, and answers what is not. */
async function untilSettled({ settleWithinMs = 120_000 }: PoolAttack, stage: Stage): Promise<string[]> {
	await Promise.all(stage.underWay);
	const until = performance.now() + settleWithinMs;
	while (performance.now() < until && openRuns(stage) > 0) await pause(200);
	const inWorkers = () =>
		stage.workers.flatMap(({ name, ledger }) =>
			ledger
				.all<{ id: string }>("SELECT id FROM runs WHERE state <> 'ended'")
				.map(({ id }) => `${id} still runs on ${name}`),
		);
	const inPool = () => {
		const packed = join(placesIn(stage.home.agentDir).dir, "pool");
		return existsSync(packed) ? readdirSync(packed).map((name) => `${name} of a snapshot is left`) : [];
	};
	const patience = performance.now() + 30_000;
	const isOpen = async () => (await openJobs(stage)).length > 0 || inWorkers().length > 0;
	while (performance.now() < patience && (await isOpen())) await pause(300);
	return [...inWorkers(), ...inPool()];
}

const openJobs = async ({ url }: Stage): Promise<string[]> =>
	inDatabase(url, async (client) => {
		const { rows } = await client.query(
			"SELECT id FROM pi_geon_queue.job WHERE state <= 'active' AND name = 'pool-team'",
		);
		return rows.map(({ id }) => String(id));
	});

async function gather(stage: Stage): Promise<Pick<PoolEvidence, "runs" | "database" | "calls">> {
	const { home, url, calls, transcript } = stage;
	const ledgerFile = placesIn(home.agentDir).ledger;
	const told = new Map<string, number>();
	const { readFileSync } = await import("node:fs");
	const lines = existsSync(transcript) ? readFileSync(transcript, "utf8").split("\n") : [];
	for (const id of lines) told.set(id, (told.get(id) ?? 0) + 1);
	const audit = home.ledger.all<{ run_id: string; what: string }>("SELECT run_id, what FROM faults_audit");
	const count = (id: string, what: string) => audit.filter((row) => row.run_id === id && row.what === what).length;
	interface Row {
		id: RunId;
		plan: string;
		state: string;
		delivery: string;
		outcome: string | null;
		created_at: number;
		ended_at: number | null;
	}
	const runs = home.ledger
		.all<Row>("SELECT id, plan, state, delivery, outcome, created_at, ended_at FROM runs")
		.map((row): RunEvidence => {
			const plan = JSON.parse(row.plan) as { task: string; session: { file: string } };
			return {
				id: row.id,
				job: jobIdOf({ ledger: ledgerFile, id: row.id, createdAt: row.created_at }),
				task: plan.task,
				state: row.state,
				delivery: row.delivery,
				outcome: row.outcome === null ? undefined : (JSON.parse(row.outcome) as Outcome<string>),
				ended: count(row.id, "ended"),
				changes: count(row.id, "changes"),
				announced: told.get(row.id) ?? 0,
				tookMs: (row.ended_at ?? Number.NaN) - row.created_at,
				entries: linesOf<Entry>(plan.session.file),
			};
		});
	const database = await inDatabase(url, async (client): Promise<DatabaseEvidence> => {
		const all = async <T>(table: string) =>
			(await client.query(`SELECT * FROM faults.${table} ORDER BY seq`)).rows as T[];
		return {
			jobs: await all("jobs"),
			writes: await all("writes"),
			claims: await all("claims"),
			stops: await all("stops"),
			open: await openJobs(stage),
		};
	});
	return { runs, database, calls: linesOf<CallEvidence>(calls) };
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
