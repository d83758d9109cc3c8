import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../helpers/repository.ts";
import { FOUND_WITHIN, MUTATIONS } from "./mutations.ts";
import { simulate } from "./simulate.ts";

const MAIN = join(repositoryRoot, "test", "simulation", "main.ts");
const LONGEST_MS = 600_000;

/** In a process of its own: what a killed process leaves unhandled must not end this one. */
async function run(...args: string[]): Promise<{ code: number; output: string }> {
	const options = { maxBuffer: 2 ** 26, timeout: LONGEST_MS };
	try {
		const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], options);
		return { code: 0, output: stdout };
	} catch (error) {
		const { code, stdout = "", stderr = "" } = error as { code?: number; stdout?: string; stderr?: string };
		return { code: typeof code === "number" ? code : -1, output: `${stdout}\n${stderr}` };
	}
}

test("2,000 histories keep every promise", { timeout: LONGEST_MS }, async () => {
	const { code, output } = await run("--seeds", "2000");
	expect(output).toMatch(/^2000 histories, \d{4,} runs, \d{4,} faults, 0 broken/m);
	expect(code).toBe(0);
});

test("when it is interrupted, it tells what was done until then", { timeout: LONGEST_MS }, async () => {
	const simulation = spawn(process.execPath, [MAIN, "--seeds", "100000"]);
	let output = "";
	simulation.stdout.on("data", (data) => {
		output += data;
	});
	const ended = once(simulation, "close");
	await once(simulation.stderr, "data");
	simulation.kill("SIGINT");
	expect(await ended).toEqual([130, null]);
	expect(output).toMatch(
		/^\d+ histories, \d+ runs, \d+ faults, 0 broken, \d+ s, [\d.]+ histories a second\nInterrupted: /,
	);
});

describe(`the simulator finds within ${FOUND_WITHIN} histories`, () => {
	// A search from the first seed takes minutes: `npm run simulate -- --mutations` does it, and this holds what it found.
	test.for(MUTATIONS)("$name", { timeout: LONGEST_MS }, async ({ name, breaks, foundAt }) => {
		expect(foundAt).toBeLessThanOrEqual(FOUND_WITHIN);
		const { code, output } = await run("--from", String(foundAt), "--seeds", "1", "--mutation", name);
		expect(output, `If other seeds show it by now: npm run simulate -- --mutations`).toContain(`  ${breaks}: `);
		expect(output).toMatch(new RegExp(`^seed ${foundAt}$`, "m"));
		expect(code).toBe(1);
	});
});

test("a seed replays the same history, event for event", async () => {
	const [one, two] = [await simulate(77, { traced: true }), await simulate(77, { traced: true })];
	expect(one.timeline?.length).toBeGreaterThan(10);
	// Ids are drawn again each time; what happens to them is not.
	const named = (timeline: string[] | undefined) => {
		const names = new Map<string, string>();
		return timeline?.map((line) =>
			line.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8}\b/g, (id) => {
				if (!names.has(id)) names.set(id, `#${names.size}`);
				return names.get(id) ?? id;
			}),
		);
	};
	expect(named(two.timeline)).toEqual(named(one.timeline));
});

test("a failing history is shrunk to a plan that still fails, and told as a timeline", {
	timeout: LONGEST_MS,
}, async () => {
	const name = "two answers to one call";
	const seed = MUTATIONS.find((mutation) => mutation.name === name)?.foundAt;
	const { code, output: told } = await run("--seed", String(seed), "--mutation", name);
	expect(code).toBe(1);
	expect(told).toContain("BROKEN");
	const plan = JSON.parse(/The shortest plan that still breaks it:\n([\s\S]*?)\nBROKEN/.exec(told)?.[1] ?? "{}") as {
		troubles: unknown[];
		parents: unknown[][];
	};
	expect(plan.troubles.length).toBeLessThanOrEqual(1);
	expect(plan.parents.flat().length).toBeLessThanOrEqual(2);
});
