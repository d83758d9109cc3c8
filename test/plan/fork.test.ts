import { expect, test } from "vitest";
import type { ParentConversation } from "../../src/plan/fork.ts";
import { planned } from "./launching.ts";

const conversation: ParentConversation = { isEmpty: () => false, copy: async () => undefined, discard: () => {} };
const parent = { conversation };
const FORK = "tools: read\ncontext: fork";

test("the call wins over the agent's file, and the file over the default", async () => {
	const forked = async (agent: string, context?: "fresh" | "fork") =>
		(await planned({ agent, parent, request: context ? { context } : {} })).session.fork;
	expect(await forked("tools: read")).toBeUndefined();
	expect(await forked("tools: read\ncontext: fresh")).toBeUndefined();
	expect(await forked(FORK)).toMatch(/^\/agent\/pi-geon\/forks\/[0-9a-f-]{36}\.jsonl$/);
	expect(await forked(FORK, "fresh")).toBeUndefined();
	expect(await forked("tools: read", "fork")).toBeDefined();
});

test("the prompt says what the copy is, and only there", async () => {
	const BACKGROUND = /begins with a copy of the conversation.*is not your task/s;
	expect((await planned({ agent: FORK, parent })).prompt).toMatch(BACKGROUND);
	expect((await planned({ agent: "tools: read", parent })).prompt).not.toMatch(BACKGROUND);
});

test("where nothing was said yet, or no user is there, it starts without a copy, and says so", async () => {
	const warning = "custom started without a copy of the conversation (context: fork): there is none yet.";
	for (const none of [{}, { conversation: { ...conversation, isEmpty: () => true } }]) {
		const { session, warnings } = await planned({ agent: FORK, parent: none });
		expect(session).not.toHaveProperty("fork");
		expect(warnings).toEqual([warning]);
	}
});

test("a warning names who else gets the conversation: another provider, a fallback's, another account", async () => {
	const resolveModel = async (name: string) => {
		const [provider = "", id = ""] = name.split("/");
		return { model: { provider, id } };
	};
	const warned = async (agent: string, request = {}, config = {}) =>
		(await planned({ agent: `${FORK}\n${agent}`, parent: { conversation, resolveModel }, request, config })).warnings;
	const why = "custom starts from a copy of it (context: fork).";
	expect(await warned("model: test/small")).toEqual([]);
	expect(await warned("model: else/small")).toEqual([`The conversation goes to another provider, else: ${why}`]);
	expect(await warned("model: test/small\nfallbackModels: [test/b, else/c, third/d]")).toEqual([
		`The conversation goes to another provider, else, third if its own model cannot be used: ${why}`,
	]);
	const list = [
		{ id: "main", subagents: { allowAgents: ["*"] } },
		{ id: "work", agentDir: "/work" },
	];
	expect(await warned("", { agentId: "work" }, { agents: { list } })).toEqual([
		`The conversation goes to the account of agentId work: ${why}`,
	]);
});

test("a continued session ignores the field, which is for new ones", async () => {
	const session = {
		agent: "custom",
		cwd: "/project",
		file: "/sessions/a.jsonl",
		definition: "",
		principal: "main",
		everStarted: true,
		isThere: true,
		folderIsThere: true,
	};
	const request = { sessionId: "6b1c8a52-0000-4000-8000-000000000001" };
	const last = { model: "test/a", projectTrusted: true };
	expect((await planned({ agent: FORK, parent, session: { ...session, last }, request })).session).toEqual({
		id: request.sessionId,
		file: session.file,
		resumed: true,
	});
	const forked = await planned({
		agent: FORK,
		parent,
		session: { ...session, last: { ...last, fork: "/f" } },
		request,
	});
	expect(forked.session).toMatchObject({ resumed: true, fork: "/f" });
	expect(forked.prompt).toContain("begins with a copy of the conversation");
});
