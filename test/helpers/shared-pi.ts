import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach } from "vitest";
import type { PiEvent } from "../../demo/json-lines.ts";
import { type Home, type HomeOptions, writeFiles } from "./home.ts";
import { cleanup, processesOf } from "./leaks.ts";
import { openLedgerFile } from "./ledger-file.ts";
import { type Script, startModel } from "./model.ts";
import { PATIENCE_MS } from "./patience.ts";
import { type Prompted, summarize } from "./prompt-pi.ts";
import { type RpcClient, startRpc } from "./rpc.ts";
import { configForRuns, isThroughPool, makeHomeForRuns, workplaceOf } from "./through-pool.ts";
import { closeAndCheck } from "./use-home.ts";

/** What a test may set for itself in a shared home. */
interface Own extends Pick<HomeOptions, "config" | "agents" | "files"> {
	readonly script: Script;
}
/** Homes that differ in anything else are not shared, because pi reads it when it starts. */
export type SharedHomeOptions = Own & Omit<HomeOptions, "model" | keyof Own>;

export type Answered = Pick<Prompted, "toolResults" | "partials" | "finalText" | "stderr"> & {
	readonly events: readonly PiEvent[];
};

interface SharedPi {
	openHome(options: SharedHomeOptions): Promise<Home>;
	/** The pi of such a home. */
	pi(home: Home): RpcClient;
	/** The same, in a new session. */
	newSession(home: Home): Promise<RpcClient>;
	/** As `promptPi`, in such a session. */
	promptPi(home: Home, text: string): Promise<Answered>;
}

interface Shared {
	readonly home: Home;
	readonly rpc: RpcClient;
	play(script: Script): void;
}

/** Long enough for a host to still exist when the next test needs it. */
const HOST_IDLE_MS = "2000";

/**
 * One pi and one host for those tests of a file that are not about starting or ending them, which is most of what such
 * a test would cost. The pi of a failed test is not used again.
 */
export function useSharedPi(): SharedPi {
	const pis = new Map<string, Shared>();
	const of = (home: Home): Shared => {
		const shared = [...pis.values()].find((each) => each.home === home);
		if (!shared) throw new Error("That home is not shared");
		return shared;
	};
	afterEach(async ({ task }) => {
		if (task.result?.state === "fail") return closeAll(pis);
		for (const { home } of pis.values()) await expectNoStrangers(home);
	});
	afterAll(() => closeAll(pis, closeAndCheck));

	const newSession = async (home: Home): Promise<RpcClient> => {
		const { rpc } = of(home);
		await rpc.send({ type: "new_session" });
		rpc.events.length = 0;
		return rpc;
	};
	return {
		async openHome({ script, config = {}, agents = {}, files = {}, ...rest }) {
			const key = JSON.stringify(rest);
			const shared = pis.get(key) ?? (await start(rest));
			pis.set(key, shared);
			const { home } = shared;
			for (const each of [home, workplaceOf(home)]) await forgetRuns(each);
			await rm(join(home.agentDir, "agents"), { recursive: true, force: true });
			for (const name of await readdir(home.project)) {
				if (name !== ".git" || !isThroughPool) await rm(join(home.project, name), { recursive: true });
			}
			await writeFiles(home.project, files);
			await writeFiles(home.agentDir, {
				"pi-geon.json": typeof config === "string" ? config : JSON.stringify(configForRuns(config)),
				...Object.fromEntries(Object.entries(agents).map(([name, text]) => [join("agents", name), text])),
			});
			shared.play(script);
			return home;
		},
		pi: (home) => of(home).rpc,
		newSession,
		async promptPi(home, text) {
			const rpc = await newSession(home);
			const events = await rpc.promptAndSettle(text);
			return { events, stderr: rpc.stderr, ...summarize(events) };
		},
	};
}

async function start(options: Omit<HomeOptions, "model">): Promise<Shared> {
	let played: Script = () => "";
	const model = await startModel((request) => played(request));
	const env = { PI_GEON_HOST_IDLE_MS: HOST_IDLE_MS, ...options.env };
	const home = await makeHomeForRuns({ ...options, env, model });
	return {
		home,
		rpc: startRpc(home),
		play: (script) => {
			played = script;
			model.requests.length = 0;
		},
	};
}

async function closeAll(pis: Map<string, Shared>, check: (home: Home) => Promise<void> = async () => {}) {
	const homes = [...pis.values()].flatMap(({ home }) => [home, ...(home.worker ? [home.worker] : [])]);
	pis.clear();
	try {
		for (const home of homes) await check(home);
	} finally {
		for (const home of homes) {
			await cleanup(home);
			await home.model.close();
		}
	}
}

/** Waits for the runs of the test before, and removes them as retention would: a test finds an empty ledger. */
async function forgetRuns({ agentDir }: Home): Promise<void> {
	const file = join(agentDir, "pi-geon", "ledger.sqlite");
	if (!existsSync(file)) return;
	const database = openLedgerFile(file);
	try {
		await until("A test left runs open", () => database.prepare("SELECT id FROM runs WHERE state <> 'ended'").all());
		database.exec("BEGIN IMMEDIATE; DELETE FROM inbox; DELETE FROM runs; DELETE FROM sessions; COMMIT");
	} finally {
		database.close();
	}
}

/** A pi or a host may stay for the next test, but not the processes that they started. */
const expectNoStrangers = (home: Home): Promise<void> =>
	until("Left behind", () => processesOf(home).filter(({ command }) => !/^pi\b|\bcli\.js\b/.test(command)));

/** Looks again and again until nothing is found. */
async function until(what: string, find: () => readonly unknown[], withinMs = PATIENCE_MS): Promise<void> {
	const deadline = performance.now() + withinMs;
	for (;;) {
		const found = find();
		if (found.length === 0) return;
		if (performance.now() > deadline) throw new Error(`${what}: ${JSON.stringify(found)}`);
		await sleep(50);
	}
}
