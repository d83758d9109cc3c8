import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import { delegateTo } from "../e2e/child.ts";
import type { Home } from "../helpers/home.ts";
import { killIfThere, processesOf, ringedProcessesOf } from "../helpers/leaks.ts";
import { type Script, type ScriptedModel, startModel } from "../helpers/model.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import type { startRpc } from "../helpers/pi.ts";
import { ANY_PI, type PiVersion, stagedPackage } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import type { TestPostgres } from "./postgres.ts";

/** The variable that the homes of these tests have their pool's address in. */
export const POOL_VARIABLE = "TEAM_POOL";
export const POOL_CONFIG = { pools: { team: { urlEnv: POOL_VARIABLE } } };

/** Makes a project a repository with one commit. */
export function commitProject(folder: string): void {
	const git = (...args: string[]) =>
		execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: folder });
	git("init", "--quiet", "--initial-branch=main");
	git("add", "--all");
	git("commit", "--quiet", "--message=first");
}

export interface RunningWorker {
	readonly home: Home;
	/** As the pool knows it. */
	readonly name: string;
	readonly child: ChildProcess;
	/** All that it printed. */
	said(): string;
	/** Ends it as Ctrl-C does. */
	leave(): Promise<void>;
}

/** `pi-geon worker` on the machine that a home stands for. Resolves once it takes runs. */
export async function startWorker(
	home: Home,
	{ args = [], prefix = [] }: { args?: readonly string[]; prefix?: readonly string[] } = {},
): Promise<RunningWorker> {
	const cli = join(stagedPackage(), "dist", "cli.js");
	const [program = "", ...given] = [...prefix, process.execPath, cli, "worker", "--pool", "team", ...args];
	const child = spawn(program, given, {
		cwd: home.scratch,
		env: { ...home.env },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let said = "";
	const exited = once(child, "exit");
	const ready = new Promise<void>((resolve, reject) => {
		for (const stream of [child.stdout, child.stderr]) {
			stream.on("data", (bytes: Buffer) => {
				said += bytes.toString();
				if (said.includes("takes runs of pool")) resolve();
			});
		}
		void exited.then(() => reject(new Error(`The worker ended: ${said}`)));
	});
	const leave = async () => {
		if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
		await exited;
	};
	home.closers.add(leave);
	await ready;
	return { home, child, name: said.split(" takes runs")[0] ?? "", said: () => said, leave };
}

/** The machine loses its power: every process of it, in rings too. Nothing of it comes back. */
export function killMachine(home: Home): void {
	for (const { pid } of [...processesOf(home), ...ringedProcessesOf(home)]) killIfThere(pid);
	const hosts = join(home.agentDir, "pi-geon", "hosts");
	for (const name of readdirSync(hosts)) if (name.endsWith(".sock")) rmSync(join(hosts, name), { force: true });
}

export interface Announce {
	content: string;
	details: AnnounceDetails;
}

/** The announces that a session file holds. */
export const announcesIn = (file: string): Announce[] =>
	readFileSync(file, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as { type: string; customType?: string } & Announce)
		.filter((entry) => entry.type === "custom_message" && entry.customType === "pi-geon:announce");

export const sessionFileOf = async (rpc: ReturnType<typeof startRpc>): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

/** `spawn AGENT TASK` and `send KEY MESSAGE`; everything else is heard. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	const [verb, first = "", ...rest] = lastUserText.split(" ");
	const task = rest.join(" ");
	if (verb === "spawn") return toolCall("sessions_spawn", { task, agent: first, label: task, pool: "team" });
	if (verb === "near") return toolCall("sessions_spawn", { task, agent: first, label: task });
	if (verb === "wait") return delegateTo(first, task);
	if (verb === "send") return toolCall("sessions_send", { sessionKey: first, message: task, timeoutSeconds: 0 });
	return text("Heard.");
};

interface MachineOptions {
	version?: PiVersion;
	child: Script;
	agents?: Record<string, string>;
	config?: object;
}

/** A requester A, and two machines for workers, each with its own home, ledger and credentials. */
export function useMachines(postgres: TestPostgres) {
	const openHome = useHome();
	return async ({ version = ANY_PI, child, agents = {}, config = {} }: MachineOptions) => {
		const url = await postgres.newDatabase();
		const model: ScriptedModel = await startModel((request) => (request.isChild ? child(request) : parent(request)));
		const env = { [POOL_VARIABLE]: url };
		const open = (more: object) => openHome({ model, pi: version, config: POOL_CONFIG, env, ...more });
		const a = await open({
			agents,
			config: { ...POOL_CONFIG, ...config },
			files: { "NOTE.txt": "an old note\n", ".gitignore": "secret.txt\n" },
		});
		const [b, c] = [await open({}), await open({})];
		commitProject(a.project);
		// Changed since the commit, and new: both travel. What is ignored does not.
		writeFileSync(join(a.project, "NOTE.txt"), "the note of A\n");
		writeFileSync(join(a.project, "NEW.txt"), "new\n");
		writeFileSync(join(a.project, "secret.txt"), "never travels");
		a.closers.add(() => model.close());
		return { url, model, a, b, c };
	};
}
