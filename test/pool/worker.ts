import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Home } from "../helpers/home.ts";
import { cliOf, stagedPackage } from "../helpers/repository.ts";

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

/** `pi-geon worker` on the machine that a home stands for, with the pi of that home. Resolves once it takes runs. */
export async function startWorker(
	home: Home,
	{ args = [], prefix = [] }: { args?: readonly string[]; prefix?: readonly string[] } = {},
): Promise<RunningWorker> {
	const cli = join(stagedPackage(), "dist", "cli.js");
	const [program = "", ...given] = [...prefix, process.execPath, cli, "worker", "--pool", "team", ...args];
	const child = spawn(program, given, {
		cwd: home.scratch,
		env: { ...home.env, PATH: [folderWithPi(home), home.env.PATH].join(delimiter) },
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

/** A worker takes the pi on its path. */
function folderWithPi({ scratch, pi }: Home): string {
	const folder = join(scratch, `pi-${pi}`);
	if (mkdirSync(folder, { recursive: true }) !== undefined) symlinkSync(cliOf(pi), join(folder, "pi"));
	return folder;
}
