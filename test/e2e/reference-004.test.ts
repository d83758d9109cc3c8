import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonOf, piGeon } from "../cli/pi-geon.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { contentOf, repositoryIn } from "../trees/repos.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();
const WRITER = "tools: read, lsp, bash, edit, write";
const MAY_WRITE = { subagents: { allowWrite: true } };

interface Played {
	home: Home;
	/** The tools that the child's model was offered. */
	tools: readonly string[];
	/** What its tools answered. */
	answers: string[];
	details: ReturnType<typeof delegations>[number] | undefined;
	before: Record<string, string>;
}

/** One run of one agent, whose child makes these calls. */
async function play(
	{ file = WRITER, agent = "custom", config = {}, task = "Do it." },
	child: readonly Reply[] = [finalize("Done.")],
): Promise<Played> {
	const home = await openHome({
		config,
		agents: { "custom.md": agentNamed("custom", "You write.", file) },
		script: dispatch({ parent: [delegateTo(agent, task), text("Done.")], child: [...child] }),
	});
	repositoryIn(home.project, { "a.ts": "export const a = 1;\n" });
	const before = contentOf(home.project);
	const run = await promptPi(home, "Go.", { version: ANY_PI });
	const asked = home.model.requests.filter(({ isChild }) => isChild);
	return {
		home,
		tools: asked[0]?.tools ?? [],
		answers: asked.at(-1)?.toolResults.map(({ text: answer }) => answer) ?? [],
		details: delegations(run)[0],
		before,
	};
}

describe("what writable subagents need, after the reference's own list", () => {
	test("1. with allowWrite=false, what writes is not exposed, and says why", async () => {
		const { home, tools, details, before } = await play({});
		expect(tools).toEqual(["read", "lsp", "subagent_finalize"]);
		expect(details?.results[0]?.warnings).toEqual([
			"bash, edit, write were left out: subagents.allowWrite is false in pi-geon.json.",
		]);
		expect(contentOf(home.project)).toEqual(before);
	});

	test("2. with allowWrite=true, it writes in the checkout and nowhere else", async () => {
		const { home, answers, details } = await play({ config: MAY_WRITE }, [
			toolCall("write", { path: "b.ts", content: "export const b = 2;\n" }),
			toolCall("bash", { command: 'echo mine > "$HOME/outside"; echo mine > ../outside; echo theirs > .git/hooks/x' }),
			toolCall("write", { path: join("..", "outside.ts"), content: "" }),
			finalize("Done."),
		]);
		expect(readFileSync(join(home.project, "b.ts"), "utf8")).toBe("export const b = 2;\n");
		expect(answers[1]).toContain("Read-only file system");
		for (const path of [join(home.home, "outside"), join(home.scratch, "outside"), join(home.scratch, "outside.ts")])
			expect(existsSync(path)).toBe(false);
		expect(details?.results[0]?.sandbox).toMatchObject({ enforced: "kernel", write: "checkout" });
	});

	test("3. the actions of lsp that change files stay disabled", async () => {
		const calls = ["rename", "codeAction", "restart"].map((action) =>
			toolCall("lsp", { action, file: "a.ts", line: 1, column: 14, newName: "b" }),
		);
		const { home, answers, before } = await play({ config: MAY_WRITE }, [...calls, finalize("Done.")]);
		expect(answers.slice(0, 3)).toEqual(
			calls.map(() => expect.stringMatching(/must be equal to|not available in a subagent/i)),
		);
		expect(contentOf(home.project)).toEqual(before);
	});

	test("4. it has no tool to delegate with, whatever its file asks for", async () => {
		const { tools } = await play({ file: "tools: read, bash, subagent, sessions_spawn, Task", config: MAY_WRITE });
		expect(tools).toEqual(["read", "bash", "subagent_finalize"]);
	});

	test("5. it has no /toolkit: a task that looks like that command reaches its model as text", async () => {
		const { home } = await play({ task: "/toolkit doctor", config: MAY_WRITE });
		const asked = home.model.requests.find(({ isChild }) => isChild);
		expect(asked?.firstUserText).toContain("/toolkit doctor");
	});

	longTest("6. the stricter of the agent's file and the configuration wins", async () => {
		const rows: [file: string, config: object, expected: unknown][] = [
			[`readonly: true\n${WRITER}`, MAY_WRITE, ["read", "lsp", "subagent_finalize"]],
			[`readonly: true\nisolation: worktree\n${WRITER}`, {}, ["read", "lsp", "subagent_finalize"]],
			[`readonly: false\n${WRITER}`, {}, ["read", "lsp", "subagent_finalize"]],
			[WRITER, { subagents: { allowWrite: true, sandbox: { mode: "require" } } }, "not_isolated"],
			[`isolation: worktree\n${WRITER}`, { subagents: { sandbox: { mode: "require" } } }, "worktree"],
		];
		for (const [file, config, expected] of rows) {
			const { tools, details } = await play({ file, config });
			const write = details?.results[0]?.sandbox?.write;
			const outcome = details?.error?.reason ?? (write === "worktree" ? write : tools);
			expect([file, config, outcome]).toEqual([file, config, expected]);
		}
	});

	test("7. the record says what it might do, what it did, and who applied it when", async () => {
		const { home, details } = await play({ agent: "worker" }, [
			toolCall("bash", { command: "echo 'export const b = 2;' > b.ts" }),
			finalize("Done."),
		]);
		const changes = details?.results[0]?.changes;
		const patch = readFileSync(changes?.patch ?? "");
		expect(createHash("sha256").update(patch).digest("hex")).toBe(changes?.sha256?.patch);
		expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({ code: 0 });
		expect(await jsonOf(home, ["changes", "last"])).toMatchObject({
			base: { commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
			events: [{ what: "applied", by: "the user, with pi-geon apply", at: expect.any(Number) }],
		});
		expect(await jsonOf(home, ["info", "last"])).toMatchObject({
			tools: expect.arrayContaining(["bash", "write"]),
			sandbox: expect.stringContaining("writes in its own tree, network off, enforced by the kernel"),
		});
		const transcript = readFileSync(details?.results[0]?.sessionFile ?? "", "utf8");
		expect(transcript).toContain("echo 'export const b = 2;' > b.ts");
	});

	test("8. a failure is not a success, although its changes come home", async () => {
		const { details } = await play({ agent: "worker" }, [
			toolCall("write", { path: "half.ts", content: "export const half =\n" }),
			toolCall("subagent_finalize", { status: "ERROR", error: "The tests fail." }),
		]);
		expect(details).toMatchObject({
			error: { code: "SUBAGENT_FAILED", reason: "reported_error" },
			results: [{ exitCode: 1, cause: "reported_error", changes: { state: "pending", total: { files: 1 } } }],
		});
	});
});
