import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FoundProcess, isStillThere, processesWith } from "../../demo/processes.ts";
import { type Home, MARKER } from "./home.ts";

const POLL_MS = 50;

export const processesOf = (home: Home): FoundProcess[] => processesWith(MARKER, home.id);

/** Waits until the home's processes and sockets are gone, and fails with a list of those that are not. */
export async function expectNothingLeft(home: Home, { withinMs = 15_000 } = {}): Promise<void> {
	const deadline = performance.now() + withinMs;
	for (;;) {
		const processes = processesOf(home);
		const left = [...processes.map(({ pid, command }) => `process ${pid}: ${command}`), ...filesLeft(home)];
		if (left.length === 0) return;
		if (performance.now() > deadline) {
			throw new Error(`Left behind after ${withinMs} ms:\n${left.map((line) => `  ${line}`).join("\n")}`);
		}
		// All of them are looked for again only once these are gone: that takes a while where there are many.
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

/** Ends what is left of the home, by pid and only what carries its mark, and removes its folder. */
export async function cleanup(home: Home): Promise<void> {
	await Promise.all([...home.closers].map((close) => close()));
	for (let round = 0; round < 10 && processesOf(home).length > 0; round++) {
		for (const { pid } of processesOf(home)) killIfThere(pid);
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
