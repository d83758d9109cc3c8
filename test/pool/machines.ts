import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import type { Home } from "../helpers/home.ts";
import { killIfThere, processesOf, ringedProcessesOf } from "../helpers/leaks.ts";
import type { startRpc } from "../helpers/pi.ts";
import { stagedPackage } from "../helpers/repository.ts";

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
export async function startWorker(home: Home, ...args: string[]): Promise<RunningWorker> {
	const cli = join(stagedPackage(), "dist", "cli.js");
	const child = spawn(process.execPath, [cli, "worker", "--pool", "team", ...args], {
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
