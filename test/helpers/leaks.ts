import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FoundProcess, isStillThere, processesWith } from "../../demo/processes.ts";
import { type Home, MARKER } from "./home.ts";
import { PATIENCE_MS } from "./patience.ts";

const POLL_MS = 50;

export const processesOf = (home: Home): FoundProcess[] => processesWith(MARKER, home.id);

/**
 * The processes in rings of the home. A ring does not pass on the mark, and a program can clear its environment. But
 * bubblewrap names the home's folders in its arguments, and every process in a ring is below bubblewrap: an orphan
 * there becomes a child of the ring's first process.
 */
export function ringedProcessesOf(home: Home): FoundProcess[] {
	if (process.platform !== "linux") return [];
	const all = readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map((pid) => {
			const [, comm = "", parent = "0"] = /^\d+ \((.*)\) \S (\d+) /s.exec(ofProcess(pid, "stat")) ?? [];
			const command = ofProcess(pid, "cmdline").replaceAll("\0", " ").trim();
			return { pid: Number(pid), parent: Number(parent), isBwrap: comm === "bwrap", command };
		});
	const found = new Set(all.filter(({ isBwrap, command }) => isBwrap && command.includes(home.scratch)));
	const byParent = Map.groupBy(all, ({ parent }) => parent);
	// Iterating over a set includes entries that are added meanwhile.
	for (const { pid } of found) for (const child of byParent.get(pid) ?? []) found.add(child);
	return [...found].map(({ pid, command }) => ({ pid, command: command.slice(0, 300) }));
}

function ofProcess(pid: string, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error) return ""; // It has finished meanwhile.
		throw error;
	}
}

/** Waits until the home's processes and sockets are gone, and fails with a list of those that are not. */
export async function expectNothingLeft(home: Home, { withinMs = PATIENCE_MS } = {}): Promise<void> {
	const deadline = performance.now() + withinMs;
	for (;;) {
		const processes = processesOf(home);
		const inRings = ringedProcessesOf(home);
		const left = [
			...processes.map(({ pid, command }) => `process ${pid}: ${command}`),
			...inRings.map(({ pid, command }) => `process ${pid} in a ring: ${command}`),
			...filesLeft(home),
		];
		if (left.length === 0) return;
		if (performance.now() > deadline) {
			throw new Error(`Left behind after ${withinMs} ms:\n${left.map((line) => `  ${line}`).join("\n")}`);
		}
		// Searches for all of them again only once these are gone, since the search takes a while on a busy machine.
		do await sleep(POLL_MS);
		while (processes.some((each) => isStillThere(each, MARKER, home.id)) && performance.now() <= deadline);
	}
}

function filesLeft(home: Home): string[] {
	return [
		...filesBelow(home.home).flatMap((file) => (file.endsWith(".sock") ? [`socket ${file}`] : [])),
		// pi and the tools keep files of their own in the temp folder; ours carry our name or are sockets.
		...filesBelow(home.temp)
			.filter((file) => !file.startsWith(join(home.temp, "jiti"))) // What pi's loader transpiled, named after its source.
			.flatMap((file) => (/geon[^/]*|\.sock$/.test(file) ? [`temporary file ${file}`] : [])),
	];
}

function filesBelow(folder: string): string[] {
	try {
		return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
	} catch (error) {
		// A file may vanish while it is listed; the next look sees the rest.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
}

/** Ends the remaining processes of the home, by pid and only those with its mark, and removes its folder. */
export async function cleanup(home: Home): Promise<void> {
	await Promise.all([...home.closers].map((close) => close()));
	const left = () => [...processesOf(home), ...ringedProcessesOf(home)];
	for (let round = 0; round < 10 && left().length > 0; round++) {
		for (const { pid } of left()) killIfThere(pid);
		await sleep(POLL_MS);
	}
	await rm(home.scratch, { recursive: true, force: true, maxRetries: 5 });
}

export function killIfThere(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}
