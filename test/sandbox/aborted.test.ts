import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runInRing } from "../../src/sandbox/run-in-ring.ts";
import { eventually } from "../e2e/ledger-of.ts";
import { useRing } from "./a-ring.ts";

const openRing = useRing();

const commandLines = (): string[] =>
	readdirSync("/proc").flatMap((pid) => {
		try {
			return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, "utf8")] : [];
		} catch {
			return []; // It has finished meanwhile.
		}
	});

/** bubblewrap takes some milliseconds to start. */
const MOMENTS = 60;
const APART_MS = 0.15;

test("a command that is aborted at any moment while its ring is made ends, and leaves no process", async () => {
	const { ring } = await openRing();
	for (let moment = 0; moment < MOMENTS; moment++) {
		const aborting = new AbortController();
		const running = runInRing(ring, ["sleep", "600"], { signal: aborting.signal });
		const until = performance.now() + moment * APART_MS;
		while (performance.now() < until);
		aborting.abort();
		await expect(running).rejects.toThrow("aborted");
	}
	await eventually(() => expect(commandLines().filter((line) => line.includes(ring.setup.scratch))).toEqual([]));
});
