import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import { placesIn } from "../../../src/ledger/places.ts";
import { MUTATION_VARIABLE } from "./mutations.ts";
import type { Network } from "./proxy.ts";
import { CALLS, POOL_URL } from "./surroundings.ts";

export interface MachineSetup {
	name: string;
	folder: string;
	network: Network;
	url: string;
	calls: string;
	mutation: string | undefined;
	/** The program that runs on it, with its arguments. It is started again whenever it ends. */
	program: readonly string[];
	/** Gives it a small disk of its own, which can be filled. Root alone can. */
	ownDisk: boolean;
}

const DISK = "size=48m,mode=700";
/** Shorter than usual, so that a suspension is soon longer. */
const LEASE_MS = 3000;

/** One machine: a home, a ledger, a program that is always started again, and the hosts that it starts. */
export class Machine {
	readonly name: string;
	readonly home: string;
	readonly agentDir: string;
	readonly env: Record<string, string>;
	readonly network: Network;
	readonly #setup: MachineSetup;
	#ledger: Ledger | undefined;
	#child: ChildProcess | undefined;
	#isOver = false;

	constructor(setup: MachineSetup) {
		this.#setup = setup;
		this.name = setup.name;
		this.network = setup.network;
		this.home = join(setup.folder, setup.name);
		this.agentDir = join(this.home, "agent");
		this.env = {
			PATH: process.env.PATH ?? "",
			HOME: this.home,
			PI_CODING_AGENT_DIR: this.agentDir,
			PI_GEON_LEASE_MS: String(LEASE_MS),
			NODE_NO_WARNINGS: "1",
			[CALLS]: setup.calls,
			[POOL_URL]: setup.url,
			...(setup.mutation !== undefined && { [MUTATION_VARIABLE]: setup.mutation }),
		};
	}

	async open(): Promise<Ledger> {
		mkdirSync(this.home, { recursive: true });
		if (this.#setup.ownDisk) execFileSync("mount", ["-t", "tmpfs", "-o", DISK, "none", this.home]);
		mkdirSync(placesIn(this.agentDir).dir, { recursive: true, mode: 0o700 });
		this.#ledger = await openLedger(placesIn(this.agentDir).ledger);
		return this.#ledger;
	}

	get ledger(): Ledger {
		if (!this.#ledger) throw new Error(`${this.name} is not open.`);
		return this.#ledger;
	}

	get canFill(): boolean {
		return this.#setup.ownDisk;
	}

	start(): void {
		const log = openSync(join(this.#setup.folder, `${this.name}.log`), "a");
		const child = spawn(process.execPath, [...this.#setup.program], { env: this.env, stdio: ["ignore", log, log] });
		closeSync(log);
		this.#child = child;
		child.once("exit", () => void (this.#isOver || setTimeout(() => this.#isOver || this.start(), 200)));
	}

	get programPid(): number | undefined {
		return this.#child?.pid;
	}

	/** Those that run now. A number may be another process's now: it is looked at first. */
	hostPids(): number[] {
		return this.ledger
			.all<{ pid: number }>("SELECT pid FROM hosts WHERE state <> 'gone' AND pid IS NOT NULL")
			.map(({ pid }) => pid)
			.filter((pid) => isStandIn(pid));
	}

	signal(whom: "program" | "hosts" | "all", signal: NodeJS.Signals): number[] {
		const program = this.programPid === undefined ? [] : [this.programPid];
		const pids = [...(whom === "hosts" ? [] : program), ...(whom === "program" ? [] : this.hostPids())];
		for (const pid of pids) {
			try {
				process.kill(pid, signal);
			} catch (error) {
				if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
			}
		}
		return pids;
	}

	/** Until `freeDisk`. */
	fillDisk(): void {
		const file = openSync(join(this.home, "filler"), "w");
		try {
			for (const size of [1024 * 1024, 4096]) {
				try {
					for (;;) writeSync(file, Buffer.alloc(size));
				} catch (error) {
					if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
				}
			}
		} finally {
			closeSync(file);
		}
	}

	freeDisk(): void {
		rmSync(join(this.home, "filler"), { force: true });
	}

	async close(): Promise<void> {
		this.#isOver = true;
		this.signal("all", "SIGCONT");
		const pids = this.signal("all", "SIGKILL");
		for (let look = 0; look < 100 && pids.some(isStandIn); look++)
			await new Promise((resolve) => setTimeout(resolve, 50));
		this.ledger.close();
		await this.network.close();
		if (this.#setup.ownDisk) execFileSync("umount", ["--lazy", this.home]);
	}
}

function isStandIn(pid: number): boolean {
	const file = `/proc/${pid}/cmdline`;
	try {
		return existsSync(file) && /(host|worker|parent)-process\.ts/.test(readFileSync(file, "utf8"));
	} catch (error) {
		if (error instanceof Error && "code" in error) return false; // It ended while we looked.
		throw error;
	}
}
