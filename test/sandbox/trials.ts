import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import type { StartCommand } from "../../src/supervise/host-ring.ts";
import { killIfThere } from "../helpers/leaks.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import type { Attempt, Call } from "./attempts.ts";
import type { Orders } from "./runner.ts";
import type { TestUser, World } from "./world.ts";

export interface Trial {
	boundary: string;
	name: string;
	held: boolean;
	said: string;
}

/** Of a long list, some ten from its first to its last: enough to see that attempts are made at all. */
export const tenOf = (attempts: readonly Attempt[]): Attempt[] =>
	attempts.filter((_attempt, index) => index % Math.ceil(attempts.length / 10) === 0);

/** One attempt after the other, each judged before the next, and what it broke put back. */
export async function tryAll(
	world: World,
	attempts: readonly Attempt[],
	make: (call: Call) => Promise<string>,
): Promise<Trial[]> {
	const trials: Trial[] = [];
	for (const attempt of attempts) {
		const said = await make(attempt.call(world, attempt.name));
		trials.push(await judged(world, attempt, said));
	}
	return trials;
}

export async function judged(world: World, attempt: Attempt, said: string): Promise<Trial> {
	const { boundary, name } = attempt;
	// What was sent is heard a moment later, and what was killed is gone a moment later.
	if (["network", "sockets", "processes", "descriptors"].includes(boundary)) await sleep(50);
	let held = attempt.held(world, name, said);
	// On a busy machine the kernel takes longer to end what is in a ring; what got out stays for hours.
	for (let looks = 0; !held && name.startsWith("outlive-") && looks < 30; looks++) {
		await sleep(100);
		held = attempt.held(world, name, said);
	}
	putBack(world, name);
	return { boundary, name, held, said };
}

const AS_IT_WAS = (world: World) => [
	join(world.outside, "file"),
	join(world.outside, "linked"),
	join(world.home, ".bashrc"),
	join(world.agentDir, "pi-geon", "a-ledger"),
	join(world.project, "file.txt"),
	join(world.project, "edit.txt"),
	join(world.project, "node_modules", "package.js"),
];

function putBack(world: World, mark: string): void {
	if (existsSync(`${world.outside}-moved`)) renameSync(`${world.outside}-moved`, world.outside);
	for (const file of AS_IT_WAS(world)) {
		if (!existsSync(file) || readFileSync(file, "utf8") !== "as it was\n") writeFileSync(file, "as it was\n");
	}
	for (const folder of ["/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local/bin", "/var/log"]) {
		rmSync(join(folder, `pg-attempt-${world.id}-${mark}`), { force: true });
	}
	// The attempt after it uses that link.
	const made = mark === "read-tool-that-link" ? "read-tool-through-a-new-link" : mark;
	for (const prefix of ["link-", "s-", ""])
		if (mark !== "read-tool-through-a-new-link") rmSync(join("/tmp", prefix + made), { recursive: true, force: true });
	for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
		if (new RegExp(`^sleep [789]${world.bystander.pid}$`).test(commandLineOf(pid))) {
			killIfThere(Number(pid));
		}
	}
}

function commandLineOf(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
	} catch {
		return ""; // It has finished meanwhile.
	}
}

export interface RunnerOptions {
	user: TestUser | undefined;
	env: Readonly<Record<string, string>>;
	/** Starts it in something else. */
	around?: (start: StartCommand) => StartCommand;
}

/** A process that makes calls of tools, as a user. */
export async function startRunner(
	orders: Orders,
	{ user, env, around = (start) => start }: RunnerOptions,
): Promise<{ make(call: Call): Promise<string>; stop(): Promise<void> }> {
	const start = around({
		command: [process.execPath, join(repositoryRoot, "test", "sandbox", "runner.ts")],
		env: { ...env, NODE_NO_WARNINGS: "1" },
	});
	const [program = "", ...args] = start.command;
	const child: ChildProcess = spawn(program, args, {
		cwd: orders.cwd,
		env: start.env,
		stdio: ["pipe", "pipe", "inherit"],
		...user,
	});
	if (!child.stdin || !child.stdout) throw new Error("The runner has no pipes.");
	const { stdin, stdout } = child;
	const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
	stdin.write(`${JSON.stringify(orders)}\n`);
	return {
		make: async (call) => {
			stdin.write(`${JSON.stringify(call)}\n`);
			const { value, done } = await answers.next();
			if (done) throw new Error(`The runner ended before it answered ${JSON.stringify(call)}.`);
			return JSON.parse(value as string) as string;
		},
		stop: async () => {
			stdin.end();
			if (child.exitCode === null) await once(child, "exit");
		},
	};
}

/** Whom tests run as: a name, and what answers the user once a test runs. Undefined: the one who runs the tests. */
export type RunsAs = [name: string, user: () => TestUser | undefined];

/**
 * Who runs the tests, and where that is root, a user without rights who is made before the first test: vitest removes
 * nothing after a file whose tests are all left out.
 */
export function useUsers(): RunsAs[] {
	const themselves = (): undefined => undefined;
	if (process.getuid?.() !== 0) return [["an ordinary user", themselves]];
	const name = `pg${randomBytes(3).toString("hex")}`;
	let user: TestUser | undefined;
	beforeAll(() => {
		execFileSync("useradd", ["--no-create-home", "--shell", "/bin/sh", name]);
		const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
		user = { uid: id("-u"), gid: id("-g") };
	});
	afterAll(() => void execFileSync("userdel", [name]));
	const ordinary = (): TestUser => {
		if (!user) throw new Error("The user is made before the first test.");
		return user;
	};
	return [
		["root", themselves],
		["an ordinary user", ordinary],
	];
}

/** Not in a temporary folder: a ring has those of its own, and what is not there is no proof that it cannot be written. */
export function newScratch(): string {
	const folder = join(repositoryRoot, ".cache", "worlds");
	mkdirSync(folder, { recursive: true });
	return realpathSync(mkdtempSync(join(folder, "w-")));
}
