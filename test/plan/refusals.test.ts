import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { refusalResult } from "../../src/deliver/tool-result.ts";
import type { KnownSession } from "../../src/plan/continued.ts";
import type { ProjectAgentQuestion } from "../../src/plan/trusted-definition.ts";
import { newSessionId } from "../../src/run/ids.ts";
import { CWD, planned, refused, type Wish } from "./launching.ts";

const agent = "tools: read";

describe("details.mode of a refusal", () => {
	const refusals: [string, string, Wish][] = [
		["management", "SUBAGENTS_DISABLED", { agent, config: { subagents: { enabled: false } } }],
		["management", "SUBAGENT_DEPTH_EXCEEDED", { agent, config: { subagents: { maxDepth: 0 } } }],
		["management", "SUBAGENT_DEPTH_EXCEEDED", { agent, parent: { depth: 1 } }],
		["single", "UNKNOWN_AGENT", { agent, request: { agent: "nobody" } }],
		["single", "SUBAGENT_DISABLED", { agent, config: { subagents: { disabled: ["custom"] } } }],
		["single", "INVALID_INPUT", { agent, request: { task: " " } }],
		["single", "SUBAGENT_FAILED", { agent, parent: { model: undefined } }],
	];

	test.each(refusals)("is %s for %s", async (mode, code, wish) => {
		expect(refusalResult(await refused(wish)).details).toEqual({
			version: 1,
			mode,
			results: [],
			error: expect.objectContaining({ code }),
		});
	});

	test("is management where delegation is not allowed, whatever else is wrong with the request", async () => {
		const wish = { config: { subagents: { enabled: false } }, request: { agent: "nobody", task: " " } };
		expect(refusalResult(await refused(wish)).details.mode).toBe("management");
	});
});

describe("an agent that its own file switches off", () => {
	test.each(["enabled: false", "disabled: true", "disable: true"])(
		"by `%s` is refused, with the line",
		async (line) => {
			expect((await refused({ agent: `${agent}\n${line}` })).error).toEqual({
				code: "SUBAGENT_DISABLED",
				message: `custom is switched off (\`${line}\` in custom.md:5).`,
				reason: "disabled",
			});
		},
	);

	test("raises no question, and is not offered in place of an unknown one", async () => {
		const approveProjectAgent = () => Promise.reject(new Error("The user was asked."));
		const off = `${agent}\nenabled: false`;
		const parent = { projectTrusted: false, approveProjectAgent };
		expect((await refused({ agent: off, source: "project", parent })).error.code).toBe("SUBAGENT_DISABLED");
		expect((await refused({ agent: off, request: { agent: "cutsom" } })).error.message).not.toContain("custom");
	});
});

describe("the question about an agent of a project that is not trusted", () => {
	async function asked(wish: Wish) {
		const questions: ProjectAgentQuestion[] = [];
		const approveProjectAgent = async (question: ProjectAgentQuestion) => {
			questions.push(question);
			return "declined" as const;
		};
		await refused({ ...wish, source: "project", parent: { projectTrusted: false, approveProjectAgent } });
		const [question] = questions;
		return question ?? expect.fail("not asked");
	}

	test("names the tools that it gets in a tree of its own, whether its file or the request asks for the tree", async () => {
		const tools = "tools: read, bash, edit";
		expect((await asked({ agent: tools })).tools).toEqual(["read"]);
		expect((await asked({ agent: `${tools}\nisolation: worktree` })).tools).toEqual(["read", "bash", "edit"]);
		const request = { isolation: "worktree" as const };
		expect((await asked({ agent: tools, request })).tools).toEqual(["read", "bash", "edit"]);
		expect((await asked({ agent: `${tools}\nreadonly: true`, request })).tools).toEqual(["read"]);
	});

	test("names the model that it would work with: of the request, its file, or the configuration", async () => {
		const config = { agents: { defaults: { subagents: { model: "test/usual", fallbackModels: ["test/next"] } } } };
		const model = async (wish: Wish) => (await asked(wish)).agent.model;
		expect(await model({ agent })).toBeUndefined();
		expect((await asked({ agent, config })).agent).toMatchObject({
			model: "test/usual",
			fallbackModels: ["test/next"],
		});
		expect(await model({ agent: `${agent}\nmodel: test/own`, config })).toBe("test/own");
		expect(await model({ agent: `${agent}\nmodel: test/own`, request: { model: "test/asked" } })).toBe("test/asked");
	});

	test("says so if the request wants it to start from a copy of the conversation", async () => {
		expect((await asked({ agent, request: { context: "fork" } })).agent.context).toBe("fork");
	});
});

describe("an agent that is not there", () => {
	const unusable = (["user", "project"] as const).map((source) => ({
		name: `broken-${source}`,
		source,
		problem: { severity: "error" as const, file: `/${source}/broken.md`, line: 3, column: 1, message: "", remedy: "" },
	}));
	const messageOf = async (name: string, projectTrusted: boolean) =>
		(await refused({ agent, unusable, request: { agent: name }, parent: { projectTrusted } })).error.message;

	test("is answered with the nearest name", async () => {
		expect(await messageOf("cutsom", true)).toBe(
			"Unknown agent: cutsom. Did you mean custom? Available agents: custom",
		);
		expect(await messageOf("nobody", true)).toBe("Unknown agent: nobody. Available agents: custom");
	});

	test("because its file cannot be used, is answered with where that is", async () => {
		const problem = (name: string, file: string) =>
			`Unknown agent: ${name}. Its file has an error: ${file}:3:1. Available agents: custom`;
		expect(await messageOf("broken-user", false)).toBe(problem("broken-user", "/user/broken.md"));
		expect(await messageOf("broken-project", true)).toBe(problem("broken-project", "/project/broken.md"));
		expect(await messageOf("broken-project", false)).toBe("Unknown agent: broken-project. Available agents: custom");
	});
});

describe("a session to continue", () => {
	const id = newSessionId();
	const file = fileURLToPath(import.meta.url);
	const request = { sessionId: id };
	const known: KnownSession = {
		agent: "custom",
		cwd: CWD,
		file,
		definition: "before",
		principal: "main",
		everStarted: true,
		isThere: true,
		folderIsThere: true,
	};

	const refusals: [string, string, Wish][] = [
		["malformed_session", "is no session id at all", { agent, request: { sessionId: "nonsense" }, session: known }],
		["unknown_session", "is nobody's", { agent, request }],
		["archived_session", "is archived", { agent, request, session: { ...known, archivedAt: 1 } }],
		["other_agent", "belongs to another agent", { agent, request, session: { ...known, agent: "other" } }],
		["other_directory", "belongs to another directory", { agent, request, session: { ...known, cwd: "/elsewhere" } }],
		["other_principal", "belongs to another account", { agent, request, session: { ...known, principal: "work" } }],
		["missing_session", "has lost its transcript", { agent, request, session: { ...known, isThere: false } }],
		["missing_directory", "has lost its folder", { agent, request, session: { ...known, folderIsThere: false } }],
	];

	test.each(refusals)("is refused as %s if it %s", async (reason, _why, wish) => {
		const { error } = await refused(wish);
		expect(error).toMatchObject({ code: "INVALID_INPUT", reason });
		expect(error.message).toContain(wish.request?.sessionId);
	});

	test("continues in its file, and begins there if no run has used it yet", async () => {
		expect((await planned({ agent, request, session: known })).session).toEqual({ id, file, resumed: true });
		const fresh = { ...known, file: `${file}.to-come`, everStarted: false };
		expect((await planned({ agent, request, session: fresh })).session).toEqual({
			id,
			file: `${file}.to-come`,
			resumed: false,
		});
	});
});
