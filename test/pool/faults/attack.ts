import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_LOG } from "../../../src/log/log.ts";
import { CLAIM_SIGNATURE } from "../../../src/pool/claim-function.ts";
import { PoolDatabase } from "../../../src/pool/database.ts";
import { limitLane } from "../../../src/pool/status.ts";
import { type Random, randomFrom } from "../../faults/random.ts";
import { inDatabase, type PostgresServer, startPostgres } from "../postgres-server.ts";
import { gather, untilSettled } from "./aftermath.ts";
import { checkPoolEvidence, type PoolViolation } from "./check.ts";
import { auditLedger, DATABASE_AUDIT, type PoolEvidence } from "./evidence.ts";
import type { FaultKind, LoggedPoolFault } from "./fault-kinds.ts";
import { Machine } from "./machine.ts";
import { play } from "./play.ts";
import { Network } from "./proxy.ts";
import { POOL } from "./surroundings.ts";

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
	/** Each run is admitted when the one before has finished, and does its steps at once: for measurements. */
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
	{ seed, workers: count = 4, places = 4, laneLimit = 24, mutation, say = () => {} }: PoolAttack,
	{ folder, server, machines }: { folder: string; server: PostgresServer; machines: Machine[] },
): Promise<Stage> {
	const url = await server.newDatabase();
	const name = new URL(url).pathname.slice(1);
	const database = await PoolDatabase.open({ url, name: POOL.name, log: NO_LOG });
	await limitLane(database, POOL.name, { total: laneLimit, perRequester: null });
	await database.close();
	// The machines make it again: a bug in it is one that they have, and this process has not.
	await inDatabase(url, (client) => client.query(`DROP FUNCTION ${CLAIM_SIGNATURE}; ${DATABASE_AUDIT}`));
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

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
