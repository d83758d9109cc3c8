import { setTimeout as sleep } from "node:timers/promises";
import { processesWith } from "./processes.ts";

/** The variable by which the demo finds the processes that it started. */
export const MARKER = "PI_GEON_DEMO";

const HOST_PATIENCE_MS = 10_000;
const SIGNAL_PATIENCE_MS = 2_000;

const ours = (id: string) => processesWith(MARKER, id);

/** Waits for the child's host to exit by itself, as it does after some time without work. */
export async function waitForHosts(id: string): Promise<string> {
	// In a sandbox, bubblewrap waits for the host, and may be there a moment longer.
	const hosts = ours(id).filter(({ command }) => !/^\S*\bbwrap\s/.test(command));
	const gone = await waitUntilGone(id, HOST_PATIENCE_MS);
	if (gone && hosts.length === 0) return "already gone";
	const pids = hosts.map(({ pid }) => pid).join(", ");
	return gone ? `process ${pids}, ended by itself` : `process ${pids} did not end and is stopped now`;
}

/** Only an interruption leaves anything for this: a child outlives its parent by design. */
export async function endLeftovers(id: string): Promise<void> {
	for (const signal of ["SIGTERM", "SIGKILL"] as const) {
		for (const { pid } of ours(id)) send(pid, signal);
		if (await waitUntilGone(id, SIGNAL_PATIENCE_MS)) return;
	}
}

async function waitUntilGone(id: string, patienceMs: number): Promise<boolean> {
	const deadline = performance.now() + patienceMs;
	while (ours(id).length > 0) {
		if (performance.now() > deadline) return false;
		await sleep(50);
	}
	return true;
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		// It may have finished in between.
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}
