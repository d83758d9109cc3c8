import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { projectAgentApprovals } from "../../src/pi/approvals.ts";

const scout = { name: "scout", file: "/project/.pi/agents/scout.md", digest: "d1" } as AgentDefinition;
const builtin = { name: "scout", source: "builtin", file: "/package/agents/scout.md" } as AgentDefinition;
const approvals = () => projectAgentApprovals(new AbortController().signal);

/** A user who answers with the n-th option, and what they were shown. */
function userWho(chooses: number | undefined) {
	const shown: { title: string; options: string[] }[] = [];
	const select = async (title: string, options: string[]) => {
		shown.push({ title, options });
		return chooses === undefined ? undefined : options[chooses];
	};
	return { ctx: { hasUI: true, ui: { select } } as unknown as ExtensionContext, shown };
}

test("the dialog names the file, the tools, the model and the built-in that is replaced", async () => {
	const { ctx, shown } = userWho(1);
	const agent = { ...scout, model: "some/model", fallbackModels: ["another/one"] };
	expect(await approvals()(ctx, { agent, tools: ["read", "bash"], replaces: builtin })).toBe("approved");
	expect(shown[0]?.title.split("\n")).toEqual([
		'Run the project\'s agent "scout"?',
		"This project is not trusted. The agent's instructions come from",
		"/project/.pi/agents/scout.md",
		"Tools: read, bash",
		"Model: some/model, then another/one",
		"It replaces the built-in scout.",
	]);
});

test("it says that the agent starts from a copy of the conversation", async () => {
	const { ctx, shown } = userWho(0);
	await approvals()(ctx, { agent: { ...scout, context: "fork" }, tools: ["read"] });
	expect(shown[0]?.title.split("\n").at(-1)).toBe("Context: it starts from a copy of this conversation");
});

test("it names the user's agent that is replaced, and says so where there is no tool or no model", async () => {
	const { ctx, shown } = userWho(1);
	const mine = { ...builtin, source: "user" as const, file: "/home/me/.pi/agent/agents/scout.md" };
	await approvals()(ctx, { agent: scout, tools: [], replaces: mine });
	expect(shown[0]?.title.split("\n").slice(3)).toEqual([
		"Tools: none",
		"Model: that of this session",
		"It replaces your agent scout (/home/me/.pi/agent/agents/scout.md).",
	]);
});

test("it calls the model that a file inherits that of this session", async () => {
	const { ctx, shown } = userWho(0);
	await approvals()(ctx, { agent: { ...scout, model: "inherit" }, tools: ["read"] });
	expect(shown[0]?.title.split("\n").at(-1)).toBe("Model: that of this session");
});

test("No is the first option, and is what leaving the dialog means", async () => {
	const first = userWho(0);
	expect(await approvals()(first.ctx, { agent: scout, tools: [] })).toBe("declined");
	expect(first.shown[0]?.options).toEqual(["No", "Yes, for this session"]);
	expect(await approvals()(userWho(undefined).ctx, { agent: scout, tools: [] })).toBe("declined");
});

test("without a user no question is asked", async () => {
	const { ctx, shown } = userWho(1);
	expect(await approvals()({ ...ctx, hasUI: false } as ExtensionContext, { agent: scout, tools: [] })).toBe("nobody");
	expect(shown).toEqual([]);
});

test("what the project wrote is shown as one short line each, and does nothing else", async () => {
	const { ctx, shown } = userWho(0);
	const hostile = "ok\n\x1b]0;title\x07\x1b[31mTrusted by pi\x1b[0m\n\u202E";
	const agent = { ...scout, model: hostile, file: `/project/.pi/agents/${hostile}${"x".repeat(5000)}.md` };
	await approvals()(ctx, { agent, tools: [hostile] });
	const lines = shown[0]?.title.split("\n") ?? [];
	expect(lines).toHaveLength(5);
	expect(lines.slice(3)).toEqual(["Tools: ok Trusted by pi", "Model: ok Trusted by pi"]);
	expect(lines[2]).toMatch(/^\/project\/\.pi\/agents\/ok Trusted by pi x+ … x+\.md$/);
	expect(lines[2]?.length).toBeLessThanOrEqual(200);
});

test("a question that failed is put again, and one that was answered is not", async () => {
	const answers = [() => Promise.reject(new Error("no terminal")), () => Promise.resolve("Yes, for this session")];
	let asked = 0;
	const select = () => answers[asked++]?.() ?? expect.fail("asked once too often");
	const ctx = { hasUI: true, ui: { select } } as unknown as ExtensionContext;
	const approve = approvals();
	await expect(approve(ctx, { agent: scout, tools: [] })).rejects.toThrow("no terminal");
	expect(await approve(ctx, { agent: scout, tools: [] })).toBe("approved");
	expect(await approve(ctx, { agent: scout, tools: [] })).toBe("approved");
});

test("an agent whose file changed, or that would get other tools, is asked about again", async () => {
	const { ctx, shown } = userWho(1);
	const approve = approvals();
	await approve(ctx, { agent: scout, tools: ["read"] });
	await approve(ctx, { agent: { ...scout, digest: "d2" }, tools: ["read"] });
	await approve(ctx, { agent: scout, tools: ["read", "bash"] });
	expect(shown).toHaveLength(3);
});
