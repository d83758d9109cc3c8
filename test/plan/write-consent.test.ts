import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { WriteConsent } from "../../src/plan/tools.ts";
import { parentOf, planned, refused } from "./launching.ts";

const folder = mkdtempSync(join(tmpdir(), "consent-plan-"));
mkdirSync(join(folder, ".git"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WRITER = "tools: read, bash, edit";
/** A parent whose user gives this answer, or has given it for good. */
const answers = (consent: WriteConsent) => ({ askToWrite: async () => consent, ringTrouble: async () => undefined });
const notAsked = {
	askToWrite: async (): Promise<never> => expect.fail("The user was asked."),
	ringTrouble: async () => undefined,
	askForTree: async () => ({ prefix: "" }),
};

describe("a child without an agent that cannot get a tree", () => {
	const config = { subagents: { sandbox: { mode: "off" } } };
	const why = "subagents.sandbox.mode is off in pi-geon.json.";

	test("is told to write in the checkout once the user allowed it, and why it has no tree", async () => {
		const plan = await planned({ config, parent: answers("given") });
		expect(plan).toMatchObject({ agent: "general", sandbox: { write: "checkout" } });
		expect(plan.tools).toContain("edit");
		expect(plan.warnings).toEqual([
			`A general subagent cannot get a tree, so it writes in the checkout, as the user allowed: ${why}`,
		]);
	});

	test.each<WriteConsent>(["refused", "not_asked", "untrusted"])("is told to only read: %s", async (consent) => {
		const plan = await planned({ config, parent: answers(consent) });
		expect(plan).toMatchObject({ sandbox: { write: "none" } });
		expect(plan.warnings[0]).toBe(`A general subagent cannot get a tree to write in, so it only reads: ${why}`);
	});
});

describe("where sandbox.mode is require", () => {
	const sandbox = { mode: "require" };
	const config = { subagents: { sandbox } };
	const told =
		"bash, edit were left out: subagents.sandbox.mode is require in pi-geon.json, so custom may not write in your checkout, even if you allowed it.";

	test("the user is not asked, and an Always does not count: the agent reads, and the warning names the mode", async () => {
		const plan = await planned({ agent: WRITER, config, parent: notAsked });
		expect(plan).toMatchObject({ tools: ["read"], sandbox: { mode: "require", write: "none" }, warnings: [told] });
	});

	test("an agent without any other tool is refused with the mode as the reason", async () => {
		const { error } = await refused({ agent: "tools: bash", config, parent: notAsked });
		expect(error).toMatchObject({ reason: "no_tools", message: expect.stringContaining("sandbox.mode is require") });
	});

	test("allowWrite is refused: not_isolated", async () => {
		const both = { subagents: { sandbox, allowWrite: true } };
		const { error } = await refused({ agent: WRITER, config: both, parent: notAsked });
		expect(error).toMatchObject({ code: "SUBAGENT_DISABLED", reason: "not_isolated" });
	});

	test("an agent with a tree writes there", async () => {
		const plan = await planned({ agent: `${WRITER}\nisolation: worktree`, config, parent: notAsked });
		expect(plan).toMatchObject({ tools: ["read", "bash", "edit"], sandbox: { write: "worktree" }, warnings: [] });
	});

	test("a child without an agent that cannot get a tree only reads", async () => {
		const noTree = { reason: "no_snapshot" as const, message: "It is not in a git repository." };
		const activeTools = parentOf.activeTools.filter((name) => name !== "lsp");
		const parent = { ...notAsked, activeTools, askForTree: async () => noTree };
		const plan = await planned({ config, parent });
		expect(plan.tools).toEqual(["read"]);
		expect(plan.warnings).toEqual([
			expect.stringMatching(/cannot get a tree to write in, so it only reads: It is not in a git repository\.$/),
			expect.stringMatching(/were left out: subagents\.sandbox\.mode is require/),
		]);
	});
});

describe("a run for a pool", () => {
	const pools = { team: { urlEnv: "X" } };
	const parent = { ...notAsked, cwd: folder };
	const request = { pool: "team" };

	test("is planned without asking the user: it reads, and the warning names the pool", async () => {
		const plan = await planned({ agent: WRITER, config: { pools }, parent, request });
		expect(plan).toMatchObject({ tools: ["read"], pool: { name: "team" } });
		expect(plan.warnings).toEqual([
			"bash, edit were left out: it runs in a pool, whose workers cannot write in your checkout. `isolation: worktree` in its file gives it a tree.",
		]);
	});

	test("is refused if allowWrite lets it write in the checkout", async () => {
		const config = { pools, subagents: { allowWrite: true } };
		const { error } = await refused({ agent: WRITER, config, parent, request });
		expect(error).toMatchObject({ reason: "pool", message: expect.stringContaining("isolation: worktree") });
	});
});
