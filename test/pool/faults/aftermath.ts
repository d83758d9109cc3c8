import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { placesIn } from "../../../src/ledger/places.ts";
import { jobIdOf } from "../../../src/pool/job.ts";
import type { RunId } from "../../../src/run/ids.ts";
import type { Outcome } from "../../../src/run/outcome.ts";
import { inDatabase } from "../postgres-server.ts";
import type { PoolAttack, Stage } from "./attack.ts";
import { type CallEvidence, type DatabaseEvidence, linesOf, type PoolEvidence, type RunEvidence } from "./evidence.ts";
import type { Machine } from "./machine.ts";
import type { Entry } from "./task.ts";

export const openRuns = ({ home }: Stage): number =>
	home.ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE delivery <> 'delivered'")?.n ?? 0;

/** Waits until all is told and done, and answers what is not. */
export async function untilSettled({ settleWithinMs = 120_000 }: PoolAttack, stage: Stage): Promise<string[]> {
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

export async function gather(stage: Stage): Promise<Pick<PoolEvidence, "runs" | "database" | "calls">> {
	const { home, url, calls, transcript } = stage;
	const told = existsSync(transcript) ? readFileSync(transcript, "utf8").split("\n") : [];
	const runs = runsOf(home, told);
	const database = await inDatabase(url, async (client): Promise<DatabaseEvidence> => {
		const all = async <T>(table: string) =>
			(await client.query(`SELECT * FROM faults.${table} ORDER BY seq`)).rows as T[];
		return {
			jobs: await all("jobs"),
			writes: await all("writes"),
			claims: await all("claims"),
			stops: await all("stops"),
			serving: await all("serving"),
			open: await openJobs(stage),
		};
	});
	return { runs, database, calls: linesOf<CallEvidence>(calls) };
}

interface Row {
	id: RunId;
	plan: string;
	state: string;
	delivery: string;
	outcome: string | null;
	created_at: number;
	ended_at: number | null;
}

/** What the machine that asked has of its runs. `told`: the ids in its parent's transcript. */
export function runsOf(home: Pick<Machine, "ledger" | "agentDir">, told: readonly string[]): RunEvidence[] {
	const ledgerFile = placesIn(home.agentDir).ledger;
	const audit = home.ledger.all<{ run_id: string; what: string }>("SELECT run_id, what FROM faults_audit");
	const count = (id: string, what: string) => audit.filter((row) => row.run_id === id && row.what === what).length;
	return home.ledger
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
				announced: told.filter((id) => id === row.id).length,
				tookMs: (row.ended_at ?? Number.NaN) - row.created_at,
				entries: linesOf<Entry>(plan.session.file),
			};
		});
}
