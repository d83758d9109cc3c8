import { existsSync } from "node:fs";
import { join } from "node:path";
import { inLedger } from "../e2e/ledger-of.ts";
import { commitProject } from "../pool/commit-project.ts";
import { inDatabase } from "../pool/postgres-server.ts";
import { startWorker } from "../pool/worker.ts";
import { type Home, type HomeOptions, makeHome } from "./home.ts";
import { THROUGH_POOL } from "./repository.ts";

/** The variable with the address of a PostgreSQL for tests that go through a pool. */
export const POOL_SERVER = "PI_GEON_TEST_POOL_SERVER";

const ADDRESS = "TEAM_POOL";
const POOLS = { team: { urlEnv: ADDRESS } };

/** Whether all runs of this process's tests are done by a worker on another machine. */
export const isThroughPool = THROUGH_POOL !== undefined;

/** A home; where tests go through a pool, with a worker on a machine of its own that does all its runs. */
export async function makeHomeForRuns(options: HomeOptions): Promise<Home> {
	if (!isThroughPool) return makeHome(options);
	const env = { ...options.env, [ADDRESS]: await newDatabase() };
	const home = await makeHome({ ...options, env, config: configForRuns(options.config) });
	commitProject(home.project);
	const worker = await makeHome({ ...options, env, config: { pools: POOLS }, files: {} });
	await startWorker(worker, { args: ["--places", "8"] });
	return { ...home, worker };
}

/** The configuration that a test asks for, with the pool that its runs go to. */
export function configForRuns(config: HomeOptions["config"]): NonNullable<HomeOptions["config"]> {
	if (!isThroughPool || typeof config === "string") return config ?? {};
	const { agents, ...rest } = (config ?? {}) as { agents?: { defaults?: { subagents?: object } } };
	const subagents = { ...agents?.defaults?.subagents, pool: "team" };
	return { ...rest, pools: POOLS, agents: { ...agents, defaults: { ...agents?.defaults, subagents } } };
}

/** Where the subagents of a home are at work. */
export const workplaceOf = (home: Home): Home => home.worker ?? home;

/** Fails if a run of a test that goes through a pool was done here. */
export function expectThroughPool(home: Home): void {
	const file = join(home.agentDir, "pi-geon", "ledger.sqlite");
	if (!home.worker || !existsSync(file)) return;
	const here = inLedger<{ id: string }>(home, "SELECT id FROM runs WHERE plan ->> '$.pool.name' IS NOT 'team'");
	if (here.length > 0) throw new Error(`Not on the pool: ${here.map(({ id }) => id).join(", ")}`);
}

async function newDatabase(): Promise<string> {
	const server = process.env[POOL_SERVER] ?? "";
	const name = `home_${crypto.randomUUID().replaceAll("-", "")}`;
	await inDatabase(server, (client) => client.query(`CREATE DATABASE ${name}`));
	return server.replace(/[^/]*$/, name);
}
