import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { type LastUsable, loadConfig } from "../../src/config/load.ts";
import { useScratch } from "../agents/scratch.ts";
import fc from "../helpers/fast-check.ts";

const scratch = useScratch();

/** Loads from a user's text and a project's, each with a file of its own. */
function load(user: string | undefined, project?: string) {
	const files = scratch();
	const userFile = files.path("user.json");
	const projectFile = files.path("project.json");
	if (user !== undefined) files.write("user.json", user);
	if (project !== undefined) files.write("project.json", project);
	return { ...loadConfig(project === undefined ? { userFile } : { userFile, projectFile }), userFile, projectFile };
}

/** The value at a dotted path. */
const valueAt = (config: unknown, path: string): unknown =>
	path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);

/** JSON5 with one value at a dotted path. */
const setting = (path: string, value: string) =>
	path
		.split(".")
		.reverse()
		.reduce((text, key) => `{ ${key}: ${text} }`, value);

const defaults: Config = {
	subagents: {
		enabled: true,
		maxDepth: 1,
		timeoutMs: 900000,
		idleTimeoutMs: 180000,
		toolTimeoutMs: 600000,
		maxTurns: null,
		maxTokens: null,
		maxCostUsd: null,
		session: { maxTokens: null, maxCostUsd: null },
		allowWrite: false,
		allowLspTools: true,
		allowedLspActions: [
			...(["definition", "references", "hover", "signature"] as const),
			...(["symbols", "diagnostics", "workspace-diagnostics", "servers"] as const),
		],
		readonlyTools: [],
		disabled: [],
		injectDelegationPolicy: true,
		retry: { enabled: true, maxAttempts: 2 },
		askMinutes: 10,
		hooks: { start: null, stop: null, timeoutMs: 10_000 },
		sandbox: { mode: "auto", hide: [], env: [], network: null, sockets: false },
		worktree: {
			link: ["node_modules", ".venv"],
			maxFiles: 50_000,
			maxBytes: 1024 ** 3,
			submodules: "warn",
			modelMayApply: false,
		},
	},
	agents: {
		defaults: {
			subagents: {
				...{ model: null, fallbackModels: [], thinking: null, maxConcurrent: 8 },
				...{ archiveAfterMinutes: 60, runTimeoutSeconds: 0, maxRunSeconds: 3600, pool: null },
			},
		},
		list: [{ id: "main", name: null, agentDir: null, subagents: { allowAgents: ["main"], model: null } }],
	},
	tools: { subagents: { tools: { allow: null, deny: [] } } },
	web: {
		enabled: false,
		provider: null,
		fallback: true,
		providers: {
			brave: { apiKey: null, apiKeyEnv: "BRAVE_API_KEY", baseUrl: null },
			tavily: { apiKey: null, apiKeyEnv: "TAVILY_API_KEY", baseUrl: null },
			serper: { apiKey: null, apiKeyEnv: "SERPER_API_KEY", baseUrl: null },
			exa: { apiKey: null, apiKeyEnv: "EXA_API_KEY", baseUrl: null },
			searxng: { baseUrl: null },
			duckduckgo: { baseUrl: null },
		},
		allowPrivateNetwork: false,
		maxBytes: 10485760,
		timeoutMs: 20000,
		cacheMinutes: 15,
	},
	lsp: { enabled: false, allowMutatingActions: false, idleMinutes: 5, servers: [] },
	ui: { widget: true },
	finalize: { maxCorrections: 2 },
	headless: { drainSeconds: 600 },
	pools: [],
	retentionDays: 30,
};

describe("the files", () => {
	test("without any, the defaults of the contract hold", () => {
		const { config, diagnostics, files } = load(undefined);
		expect(config).toEqual(defaults);
		expect(diagnostics).toEqual([]);
		expect(files).toEqual([]);
	});

	test("the user's changes what it says and nothing else, in JSON5", () => {
		const { config, diagnostics, files, userFile } = load(
			"\uFEFF// mine\r\n{ subagents: { timeoutMs: 1e3, retry: { maxAttempts: 5, }, }, 'retentionDays': 0x10 }",
		);
		expect(diagnostics).toEqual([]);
		expect(files).toEqual([userFile]);
		expect(config).toEqual({
			...defaults,
			subagents: { ...defaults.subagents, timeoutMs: 1000, retry: { enabled: true, maxAttempts: 5 } },
			retentionDays: 16,
		});
	});

	test("the project's comes after the user's", () => {
		const { config, files, userFile, projectFile } = load(
			"{ agents: { defaults: { subagents: { model: 'user/m', thinking: 'low' } } } }",
			"{ agents: { defaults: { subagents: { archiveAfterMinutes: 5 } } }, subagents: { injectDelegationPolicy: false } }",
		);
		expect(files).toEqual([userFile, projectFile]);
		expect(config.agents.defaults.subagents).toMatchObject({
			archiveAfterMinutes: 5,
			model: "user/m",
			thinking: "low",
		});
		expect(config.subagents.injectDelegationPolicy).toBe(false);
	});

	test("the result cannot be changed, at any depth", () => {
		const frozen = (value: unknown): boolean =>
			typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
		expect(frozen(load(undefined).config)).toBe(true);
		expect(frozen(load("{ agents: { list: [{ id: 'a' }] } }", "{ subagents: { disabled: ['x'] } }").config)).toBe(true);
	});

	test.each([
		["broken", "{\n  subagents: {\n    enabled: flase } }", { line: 3, column: 15 }],
		["empty", "", { line: 1, column: 1 }],
		["no object", "[]", {}],
		["too large", `{} //${"x".repeat(256 * 1024)}`, {}],
	])("one that is %s is one error, and none of its values applies", (_, text, position) => {
		const { config, diagnostics, files, userFile } = load(text);
		expect(config).toEqual(defaults);
		expect(diagnostics).toHaveLength(1);
		expect(diagnostics[0]).toMatchObject({ severity: "error", file: userFile, ...position });
		expect(files).toEqual([userFile]);
	});

	test("a broken one of the project leaves the user's in force", () => {
		const { config, diagnostics, projectFile } = load("{ subagents: { enabled: false } }", "{ subagents: ");
		expect(config.subagents.enabled).toBe(false);
		expect(diagnostics).toMatchObject([{ severity: "error", file: projectFile }]);
	});

	test("a directory in its place is reported", () => {
		const files = scratch();
		mkdirSync(files.path("user.json"));
		const { config, diagnostics } = loadConfig({ userFile: files.path("user.json") });
		expect(config).toEqual(defaults);
		expect(diagnostics).toMatchObject([{ severity: "error", message: expect.stringContaining("not a file") }]);
	});
});

describe("a bad value", () => {
	test.each([
		["subagents", "5", "an object"],
		["subagents.retry", "null", "an object"],
		["subagents.enabled", "'false'", "true or false"],
		["subagents.maxDepth", "2", "from 0 to 1"],
		["subagents.timeoutMs", "0", "from 1 to 2147483647"],
		["subagents.timeoutMs", "Infinity", "from 1 to 2147483647"],
		["subagents.idleTimeoutMs", "null", "from 1 to 2147483647"],
		["subagents.toolTimeoutMs", "1.5", "from 1 to 2147483647"],
		["subagents.maxTurns", "0", "at least 1, or null"],
		["subagents.maxCostUsd", "-1", "above 0, or null"],
		["subagents.session.maxTokens", "NaN", "at least 1, or null"],
		["subagents.allowedLspActions", "'hover'", "a list"],
		["subagents.retry.maxAttempts", "0", "from 1 to 10"],
		["subagents.askMinutes", "-1", "at least 0"],
		["subagents.hooks", "[]", "an object"],
		["subagents.hooks.timeoutMs", "0", "from 1 to 2147483647"],
		["agents.defaults.subagents.thinking", "'hard'", "one of off"],
		["agents.defaults.subagents.model", "''", "or null"],
		["agents.defaults.subagents.fallbackModels", "'a/b'", "a list"],
		["agents.defaults.subagents.maxConcurrent", "0", "at least 1"],
		["agents.defaults.subagents.runTimeoutSeconds", "-1", "from 0"],
		["agents.defaults.subagents.maxRunSeconds", "0", "from 1 to 2147483"],
		["agents.list", "{}", "a list of principals"],
		["tools.subagents.tools.allow", "'read'", "a list"],
		["tools.subagents.tools.deny", "null", "a list"],
		["web.provider", "'bing'", "one of brave"],
		["web.providers.searxng.baseUrl", "'file:///etc'", "an http or https address, or null"],
		["web.providers.brave.baseUrl", "'https://user:secret@host'", "an http or https address, or null"],
		["web.maxBytes", "1", "from 1024"],
		["lsp.enabled", "1", "true or false"],
		["lsp.idleMinutes", "0", "from 1 to 1440"],
		["lsp.servers", "[]", "a table of servers"],
		["finalize.maxCorrections", "'2'", "from 0 to 20"],
		["headless.drainSeconds", "99999999", "from 0 to"],
		["retentionDays", "0", "at least 1"],
	])("for %s (%s) is said with file, key and line, and the default applies", (path, value, expected) => {
		const { config, diagnostics, userFile } = load(`\n// first\n${setting(path, value)}`);
		expect(config).toEqual(defaults);
		expect(diagnostics).toHaveLength(1);
		expect(diagnostics[0]).toMatchObject({ severity: "error", file: userFile, key: path, line: 3 });
		expect(diagnostics[0]?.message).toContain(expected);
	});

	test("of a project leaves the user's value in force", () => {
		const { config, diagnostics, projectFile } = load(
			"{ subagents: { timeoutMs: 5000 } }",
			"{ subagents: { timeoutMs: 'short' } }",
		);
		expect(config.subagents.timeoutMs).toBe(5000);
		expect(diagnostics).toMatchObject([{ file: projectFile, key: "subagents.timeoutMs" }]);
		expect(diagnostics[0]?.remedy).toBe("Correct it; until then the value without the project's file applies: 5000.");
	});

	test("in a list costs that item only, so that a typo does not open what the rest closes", () => {
		const { config, diagnostics } = load(`{
			tools: { subagents: { tools: {
				deny: ["bash", 7,
					"write", ""] } } },
			subagents: { allowedLspActions: ["hover", "rename", "codeAction"] } }`);
		expect(config.tools.subagents.tools.deny).toEqual(["bash", "write"]);
		expect(config.subagents.allowedLspActions).toEqual(["hover"]);
		expect(diagnostics).toMatchObject([
			{ key: "subagents.allowedLspActions.1", line: 5 },
			{ key: "subagents.allowedLspActions.2", line: 5 },
			{ key: "tools.subagents.tools.deny.1", line: 3 },
			{ key: "tools.subagents.tools.deny.3", line: 4 },
		]);
	});

	test("is found on its own line, not on that of a namesake", () => {
		const { diagnostics } = load(`{
			/* enabled: "comment" { */ "subagents": {
				retry: { enabled: true, /* x */ },
				injectDelegationPolicy: true, // } enabled: 1
				'enabled': "a: {' b",
				disabled: ["}", { enabled: 1 }],
			}}`);
		expect(diagnostics).toMatchObject([
			{ key: "subagents.enabled", line: 5, column: 5 },
			{ key: "subagents.disabled.1", line: 6, column: 21 },
		]);
	});
});

describe("a hook", () => {
	test.each(["'/bin/gate'", "[]", "[1]", "['']", "{}", "true"])(
		"that cannot be read (%s) is an error, and stays configured",
		(value) => {
			const { config, diagnostics, userFile } = load(`\n${setting("subagents.hooks.start", value)}`);
			expect(config.subagents.hooks.start).toEqual([]);
			expect(diagnostics).toMatchObject([
				{
					severity: "error",
					file: userFile,
					key: "subagents.hooks.start",
					line: 2,
					message: expect.stringContaining("Expected a list of strings, the program first, or null"),
					remedy: "Correct it; until then no subagent is started.",
				},
			]);
		},
	);

	test("keeps its arguments as they are written, even the same one twice", () => {
		const { config, diagnostics } = load("{ subagents: { hooks: { stop: ['/bin/log', '-v', '-v'] } } }");
		expect(config.subagents.hooks.stop).toEqual(["/bin/log", "-v", "-v"]);
		expect(diagnostics).toEqual([]);
	});

	test("is never a project's to set, change or remove", () => {
		const user = "{ subagents: { hooks: { start: ['/bin/gate'] } } }";
		const { config, diagnostics } = load(
			user,
			"{ subagents: { hooks: { start: null, stop: ['/project/evil'], timeoutMs: 1 } } }",
		);
		expect(config.subagents.hooks).toEqual({ start: ["/bin/gate"], stop: null, timeoutMs: 10_000 });
		expect(diagnostics).toHaveLength(3);
		for (const { message } of diagnostics) expect(message).toContain("a project may not set this");
	});
});

describe("an unknown key", () => {
	test.each([
		["subagents.timeoutMS", "timeoutMs"],
		["subagents.alowWrite", "allowWrite"],
		["subagent", "subagents"],
		["subagents.maxConcurrent", "agents.defaults.subagents.maxConcurrent"],
		["retry", "subagents.retry"],
	])("%s is a warning that names %s", (path, known) => {
		const { config, diagnostics } = load(setting(path, "1"));
		expect(config).toEqual(defaults);
		expect(diagnostics).toMatchObject([{ severity: "warning", key: path, line: 1, remedy: `Did you mean ${known}?` }]);
	});

	test.each(["banana", "subagents.constructor", "toString", "__proto__"])("%s is like nothing known", (path) => {
		const { config, diagnostics } = load(setting(path, "1"));
		expect(config).toEqual(defaults);
		expect(diagnostics).toMatchObject([{ severity: "warning", key: path, remedy: "Remove it." }]);
	});
});

describe("principals", () => {
	test("are completed, and main is always there", () => {
		const { config, diagnostics } = load(
			"{ agents: { list: [{ id: 'ops', name: 'Operations', agentDir: '~/ops' }, { id: 'free', subagents: { allowAgents: ['*'], model: 'm' } }] } }",
		);
		expect(diagnostics).toEqual([]);
		expect(config.agents.list).toEqual([
			{ id: "main", name: null, agentDir: null, subagents: { allowAgents: ["main"], model: null } },
			{ id: "ops", name: "Operations", agentDir: "~/ops", subagents: { allowAgents: ["ops"], model: null } },
			{ id: "free", name: null, agentDir: null, subagents: { allowAgents: ["*"], model: "m" } },
		]);
	});

	test("main may be configured", () => {
		const { config } = load(
			"{ agents: { list: [{ id: 'ops' }, { id: 'main', subagents: { allowAgents: ['ops'] } }] } }",
		);
		expect(config.agents.list.map(({ id, subagents }) => [id, subagents.allowAgents])).toEqual([
			["ops", ["ops"]],
			["main", ["ops"]],
		]);
	});

	test("that are wrong cost only themselves", () => {
		const { config, diagnostics } = load(`{ agents: { list: [
			{ id: "../up" },
			"text",
			{ agentDir: "x" },
			{ id: "a", agentDir: 5, subagents: { allowAgents: "*" } },
			{ id: "a", agentDir: "second" },
			{ id: "b", agentdir: "x", subagents: { allowAgents: ["a b", "a"] } },
		] } }`);
		expect(config.agents.list).toEqual([
			...defaults.agents.list,
			{ id: "a", name: null, agentDir: null, subagents: { allowAgents: ["a"], model: null } },
			{ id: "b", name: null, agentDir: null, subagents: { allowAgents: ["a"], model: null } },
		]);
		expect(diagnostics.map(({ severity, key, line }) => [severity, key, line])).toEqual([
			["error", "agents.list.0", 2],
			["error", "agents.list.1", 3],
			["error", "agents.list.2", 4],
			["error", "agents.list.3.agentDir", 5],
			["error", "agents.list.3.subagents.allowAgents", 5],
			["error", "agents.list.4", 6],
			["warning", "agents.list.5.agentdir", 7],
			["error", "agents.list.5.subagents.allowAgents.0", 7],
		]);
	});
});

describe("language servers", () => {
	test("are a table in the file and a list in force", () => {
		const { config, diagnostics } = load(`{ lsp: { servers: {
			zls: { command: ["zls", "-v", "-v"], extensions: [".zig"], initializationOptions: { a: [1] } },
			gopls: { disabled: true } } } }`);
		expect(diagnostics).toEqual([]);
		const asBuiltIn = { languageId: null, rootMarkers: null, needsTrust: null };
		expect(config.lsp.servers).toEqual([
			{
				...{ name: "zls", command: ["zls", "-v", "-v"], extensions: [".zig"], ...asBuiltIn },
				...{ initializationOptions: { a: [1] }, disabled: false },
			},
			{
				...{ name: "gopls", command: null, extensions: null, ...asBuiltIn },
				...{ initializationOptions: null, disabled: true },
			},
		]);
	});

	test("that are wrong cost only themselves", () => {
		const { config, diagnostics } = load(`{ lsp: { servers: {
			"a b": {},
			c: "clangd",
			d: { command: "clangd --log", extensions: ["zig"], cmd: 1 },
		} } }`);
		expect(config.lsp.servers.map(({ name, command, extensions }) => [name, command, extensions])).toEqual([
			["d", null, []],
		]);
		expect(diagnostics.map(({ severity, key, line }) => [severity, key, line])).toEqual([
			["error", "lsp.servers.a b", 2],
			["error", "lsp.servers.c", 3],
			["warning", "lsp.servers.d.cmd", 4],
			["error", "lsp.servers.d.command", 4],
			["error", "lsp.servers.d.extensions.0", 4],
		]);
	});
});

describe("a project", () => {
	const limits = [
		"subagents.timeoutMs",
		"subagents.idleTimeoutMs",
		"subagents.toolTimeoutMs",
		"subagents.maxTurns",
		"subagents.maxTokens",
		"subagents.maxCostUsd",
		"subagents.session.maxTokens",
		"subagents.session.maxCostUsd",
		"agents.defaults.subagents.maxConcurrent",
		"agents.defaults.subagents.runTimeoutSeconds",
		"agents.defaults.subagents.maxRunSeconds",
		"headless.drainSeconds",
		"finalize.maxCorrections",
		"lsp.idleMinutes",
	];
	const list = (...items: string[]) => JSON.stringify(items);

	test.each([
		["subagents.enabled", "true", "false", false],
		["subagents.allowWrite", "true", "false", false],
		["subagents.allowWrite", "true", "true", true],
		["subagents.allowLspTools", "true", "false", false],
		["subagents.maxDepth", "1", "0", 0],
		...limits.map((path) => [path, "10", "9", 9] as const),
		["subagents.maxTurns", "null", "9", 9],
		["subagents.retry.enabled", "true", "false", false],
		["subagents.injectDelegationPolicy", "true", "false", false],
		["agents.defaults.subagents.thinking", "'high'", "'low'", "low"],
		["agents.defaults.subagents.thinking", "null", "'off'", "off"],
		["headless.drainSeconds", "600", "0", 0],
		["subagents.retry.maxAttempts", "3", "1", 1],
		["subagents.askMinutes", "10", "5", 5],
		["agents.defaults.subagents.runTimeoutSeconds", "0", "60", 60],
		["agents.defaults.subagents.runTimeoutSeconds", "0", "0", 0],
		["subagents.allowedLspActions", list("hover", "symbols"), list("hover"), ["hover"]],
		["subagents.allowedLspActions", list("hover"), "[]", []],
		["subagents.readonlyTools", list("mcp__a", "mcp__b__c"), list("mcp__a"), ["mcp__a"]],
		["subagents.disabled", list("a"), list("b", "a"), ["a", "b"]],
		["subagents.disabled", list("a"), "[]", ["a"]],
		["web.enabled", "true", "false", false],
		["web.fallback", "true", "false", false],
		["web.allowPrivateNetwork", "true", "false", false],
		["web.maxBytes", "10000", "5000", 5000],
		["tools.subagents.tools.deny", list("bash"), list("write"), ["bash", "write"]],
		["tools.subagents.tools.allow", "null", list("read"), ["read"]],
		["tools.subagents.tools.allow", list("read", "ls"), list("ls"), ["ls"]],
	] as const)("may tighten %s from %s with %s", (path, user, project, result) => {
		const { config, diagnostics } = load(setting(path, user), setting(path, project));
		expect(valueAt(config, path)).toEqual(result);
		expect(diagnostics).toEqual([]);
	});

	test.each([
		["subagents.enabled", "false", "true", false],
		["subagents.allowWrite", "false", "true", false],
		["subagents.allowLspTools", "false", "true", false],
		["subagents.maxDepth", "0", "1", 0],
		...limits.map((path) => [path, "10", "11", 10] as const),
		["subagents.maxTurns", "10", "null", 10],
		["subagents.retry.enabled", "false", "true", false],
		["subagents.injectDelegationPolicy", "false", "true", false],
		["agents.defaults.subagents.model", "null", "'dear/model'", null],
		["agents.defaults.subagents.model", "'mine/model'", "null", "mine/model"],
		["agents.defaults.subagents.thinking", "'low'", "'high'", "low"],
		["agents.defaults.subagents.thinking", "'low'", "null", "low"],
		["agents.defaults.subagents.thinking", "null", "'minimal'", null],
		["subagents.retry.maxAttempts", "1", "10", 1],
		["subagents.askMinutes", "5", "10", 5],
		["agents.defaults.subagents.runTimeoutSeconds", "60", "0", 60],
		["finalize.maxCorrections", "0", "20", 0],
		["subagents.allowedLspActions", list("hover"), list("hover", "symbols"), ["hover"]],
		["subagents.readonlyTools", list("mcp__a"), list("mcp__a", "mcp__evil"), ["mcp__a"]],
		["tools.subagents.tools.allow", list("read", "ls"), list("ls", "bash"), ["ls"]],
		["tools.subagents.tools.allow", list("read"), "null", ["read"]],
		["web.enabled", "false", "true", false],
		["web.fallback", "false", "true", false],
		["web.allowPrivateNetwork", "false", "true", false],
		["web.timeoutMs", "10", "11", 10],
		["web.provider", "null", "'brave'", null],
		["web.providers.brave.apiKey", "'mine'", "'theirs'", "mine"],
		["web.providers.brave.apiKeyEnv", "'MINE'", "'HOME'", "MINE"],
		["web.providers.searxng.baseUrl", "'http://localhost:8080'", "'https://evil.example'", "http://localhost:8080"],
		["lsp.enabled", "false", "true", false],
		["lsp.allowMutatingActions", "false", "true", false],
		["lsp.servers", "{}", "{ evil: { command: ['./evil'], extensions: ['.ts'] } }", []],
		["retentionDays", "10", "1", 10],
	] as const)("may not loosen %s from %s with %s, and is told", (path, user, project, result) => {
		const { config, diagnostics, projectFile } = load(setting(path, user), setting(path, project));
		expect(valueAt(config, path)).toEqual(result);
		expect(diagnostics).toMatchObject([{ severity: "warning", file: projectFile, key: path, line: 1 }]);
		expect(diagnostics[0]?.message).toMatch(/^Ignored: a project may/);
	});

	test("may not loosen a default either", () => {
		const { config, diagnostics } = load(undefined, "{ subagents: { allowWrite: true, timeoutMs: 900001 } }");
		expect(config).toEqual(defaults);
		expect(diagnostics.map(({ key }) => key)).toEqual(["subagents.timeoutMs", "subagents.allowWrite"]);
	});

	test("may not bring principals", () => {
		const { config, diagnostics } = load(undefined, "{ agents: { list: [{ id: 'main', agentDir: '/tmp/evil' }] } }");
		expect(config).toEqual(defaults);
		expect(diagnostics).toMatchObject([{ severity: "warning", key: "agents.list" }]);
	});

	test("may change the rest freely", () => {
		const { config, diagnostics } = load(
			undefined,
			"{ agents: { defaults: { subagents: { archiveAfterMinutes: 0 } } }, ui: { widget: false } }",
		);
		expect(diagnostics).toEqual([]);
		expect(config).toMatchObject({
			agents: { defaults: { subagents: { archiveAfterMinutes: 0 } } },
			ui: { widget: false },
		});
	});
});

describe("reference 002: exec and process", () => {
	const tools = (list: string) => `{ tools: { subagents: { tools: ${list} } } }`;

	test("stand for bash in allow and deny, with a notice, and keep their own name", () => {
		const { config, diagnostics, userFile } = load(tools('{\n allow: ["read", "exec"],\n deny: ["process", "bash"] }'));
		expect(config.tools.subagents.tools).toEqual({ allow: ["read", "exec", "bash"], deny: ["process", "bash"] });
		const notice = (name: string) => ({
			...{ severity: "warning", file: userFile, remedy: "Write bash." },
			message: `${name} stands for bash, which runs commands in pi.`,
		});
		expect(diagnostics).toMatchObject([
			{ ...notice("exec"), key: "tools.subagents.tools.allow.1", line: 2 },
			{ ...notice("process"), key: "tools.subagents.tools.deny.0", line: 3 },
		]);
	});

	test("in a project's file deny bash too", () => {
		expect(load("{}", tools('{ deny: ["exec"] }')).config.tools.subagents.tools.deny).toEqual(["exec", "bash"]);
		expect(load(tools('{ allow: ["read"] }'), tools('{ allow: ["exec"] }')).config.tools.subagents.tools.allow).toEqual(
			[],
		);
	});
});

describe("whatever the text", () => {
	const files = useScratch();

	test("loading never throws and always gives every setting", () => {
		const { write, path } = files();
		const shapeOf = (value: unknown): unknown =>
			typeof value !== "object" || value === null || Array.isArray(value)
				? "value"
				: Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
		const anyText = fc.oneof(
			fc.string({ unit: "binary" }),
			fc.json(),
			fc.stringMatching(/^[a-z{}[\],:"'/* 0-9\n\\]{0,60}$/),
			fc.jsonValue().map((value) => JSON.stringify({ subagents: value, agents: { list: value, defaults: value } })),
		);
		fc.assert(
			fc.property(anyText, anyText, (user, project) => {
				write("user.json", user);
				write("project.json", project);
				const { config } = loadConfig({ userFile: path("user.json"), projectFile: path("project.json") });
				expect(shapeOf(config)).toEqual(shapeOf(defaults));
			}),
		);
	});

	test("a project never loosens", () => {
		const { write, path } = files();
		const limit = fc.option(fc.integer({ min: 1, max: 100 }));
		const names = fc.subarray(["read", "bash", "write", "lsp"]);
		const anyConfig = fc.record({
			subagents: fc.record({ enabled: fc.boolean(), allowWrite: fc.boolean(), maxTurns: limit, disabled: names }),
			tools: fc.record({ subagents: fc.record({ tools: fc.record({ allow: fc.option(names), deny: names }) }) }),
		});
		fc.assert(
			fc.property(anyConfig, anyConfig, (user, project) => {
				const userFile = write("user.json", JSON.stringify(user));
				write("project.json", JSON.stringify(project));
				const mine = loadConfig({ userFile }).config;
				const merged = loadConfig({ userFile, projectFile: path("project.json") }).config;
				expect(Number(merged.subagents.enabled)).toBeLessThanOrEqual(Number(mine.subagents.enabled));
				expect(Number(merged.subagents.allowWrite)).toBeLessThanOrEqual(Number(mine.subagents.allowWrite));
				expect(merged.subagents.maxTurns ?? 1e9).toBeLessThanOrEqual(mine.subagents.maxTurns ?? 1e9);
				expect(merged.subagents.disabled).toEqual(expect.arrayContaining([...mine.subagents.disabled]));
				const [before, after] = [mine.tools.subagents.tools, merged.tools.subagents.tools];
				expect(after.deny).toEqual(expect.arrayContaining([...before.deny]));
				if (before.allow) expect(before.allow).toEqual(expect.arrayContaining([...(after.allow ?? ["everything"])]));
			}),
		);
	});
});

describe("a file that cannot be used any more", () => {
	const userFile = (files: ReturnType<typeof scratch>, text: string) => files.write("user.json", text);
	const deny = (...names: string[]) => JSON.stringify({ tools: { subagents: { tools: { deny: names } } } });
	const denied = (loaded: { config: Config }) => [...loaded.config.tools.subagents.tools.deny].sort();

	test("stands for what was last read of it, and the other one for what it says now", () => {
		const files = scratch();
		const last: LastUsable = new Map();
		const where = { userFile: files.path("user.json"), projectFile: files.path("project.json") };
		userFile(files, deny("bash"));
		files.write("project.json", deny("edit"));
		expect(denied(loadConfig(where, last))).toEqual(["bash", "edit"]);
		files.write("project.json", "{");
		userFile(files, deny("bash", "write"));
		const loaded = loadConfig(where, last);
		expect(denied(loaded)).toEqual(["bash", "edit", "write"]);
		expect(loaded.diagnostics).toMatchObject([
			{ file: where.projectFile, remedy: expect.stringContaining("stay in force") },
		]);
	});

	test("does so even if the other one comes or goes meanwhile, until it is removed", () => {
		const files = scratch();
		const last: LastUsable = new Map();
		const where = { userFile: files.path("user.json") };
		userFile(files, deny("bash"));
		expect(denied(loadConfig(where, last))).toEqual(["bash"]);
		userFile(files, "");
		files.write("project.json", deny("edit"));
		expect(denied(loadConfig({ ...where, projectFile: files.path("project.json") }, last))).toEqual(["bash", "edit"]);
		expect(denied(loadConfig(where, last))).toEqual(["bash"]);
		rmSync(where.userFile);
		expect(denied(loadConfig(where, last))).toEqual([]);
		userFile(files, "{");
		expect(denied(loadConfig(where, last))).toEqual([]);
	});
});

describe("pools", () => {
	test("are a table of names, kept as a list", () => {
		const { config, diagnostics } = load(
			'{ pools: { team: { urlEnv: "TEAM", setup: ["npm", "ci"] }, ci: { urlFile: "~/ci" } } }',
		);
		expect(diagnostics).toEqual([]);
		expect(config.pools).toEqual([
			{ name: "team", urlEnv: "TEAM", urlFile: null, setup: ["npm", "ci"] },
			{ name: "ci", urlEnv: null, urlFile: "~/ci", setup: null },
		]);
	});

	test("without one place for their address, or with a name that no queue can have, are left out", () => {
		const { config, diagnostics } = load(
			'{ pools: { none: {}, both: { urlEnv: "A", urlFile: "b" }, "No Name": { urlEnv: "A" } } }',
		);
		expect(config.pools).toEqual([]);
		expect(diagnostics.map(({ message }) => message)).toEqual([
			expect.stringContaining("either urlEnv or urlFile"),
			expect.stringContaining("either urlEnv or urlFile"),
			expect.stringContaining("the name of a pool"),
		]);
	});

	test("are not a project's to set, nor is the default", () => {
		const { config, diagnostics } = load(
			"{}",
			'{ pools: { team: { urlEnv: "TEAM" } }, agents: { defaults: { subagents: { pool: "team" } } } }',
		);
		expect(config.pools).toEqual([]);
		expect(config.agents.defaults.subagents.pool).toBeNull();
		expect(diagnostics.map(({ message }) => message)).toEqual(Array(2).fill("Ignored: a project may not set this."));
	});
});
