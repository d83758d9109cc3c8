import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { MUTATION_VARIABLE, POOL_MUTATIONS } from "../../pool/faults/mutations.ts";

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, "main.ts");

/** In a process of its own: microtasks are run by hand there, and a bug is put in while it loads. */
async function simulated(args: string[], env: Record<string, string> = {}): Promise<string[]> {
	const options = { env: { ...process.env, NODE_NO_WARNINGS: "1", ...env } };
	const { stdout } = await run(process.execPath, [MAIN, ...args], options).catch((error: { stdout: string }) => error);
	return stdout.trim().split("\n");
}

test("in 60 histories of a pool, whatever dies, hangs or is cut off, every promise holds", async () => {
	const said = await simulated(["--seeds", "60"]);
	expect(said.slice(0, -1)).toEqual([]);
	expect(JSON.parse(said.at(-1) ?? "{}")).toMatchObject({ histories: 60, violations: 0 });
});

/** The others are in what PostgreSQL does, which is simulated here. */
const IN_THE_LOOPS = ["cancel before the worker's outcome", "a takeover without the lines"];

describe("the simulator finds", () => {
	for (const { name, breaks } of POOL_MUTATIONS.filter((mutation) => IN_THE_LOOPS.includes(mutation.name))) {
		test(name, async () => {
			const said = await simulated(["--seeds", "60", "--first"], { [MUTATION_VARIABLE]: name });
			expect(said.join("\n")).toContain(breaks);
		});
	}
});
