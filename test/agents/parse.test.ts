import { describe, expect, test } from "vitest";
import { parseAgent } from "../../src/agents/parse.ts";
import { formatDiagnostic } from "../../src/run/diagnostic.ts";
import fc from "../helpers/fast-check.ts";

const origin = { file: "/x/agent.md", source: "user" } as const;
const parse = (text: string) => parseAgent(text, origin);
const withFields = (...lines: string[]) => parse(["---", "name: a", ...lines, "---", "Do it."].join("\n"));

describe("network", () => {
	const read = (line: string) => parseAgent(`---\nname: a\n${line}\n---\n`, { file: "/agents/a.md", source: "user" });
	test.each([
		["network: off", "off"],
		["network: false", "off"],
		["network: on", "on"],
		["network: true", "on"],
		["network: []", "off"],
		["network: [example.com, '*.example.org', localhost]", ["example.com", "*.example.org", "localhost"]],
		["network: example.com, api.example.org", ["example.com", "api.example.org"]],
		["network:", undefined],
		["", undefined],
	])("%s", (line, network) => {
		const { agent, diagnostics } = read(line);
		expect([agent?.network, agent?.readonly, diagnostics]).toEqual([network, false, []]);
	});

	test.each(["sometimes", "[1]", "['a b']", "['https://example.com']", "{ allow: a.b }"])(
		"%s is not known: nothing is reached, and the agent only reads",
		(value) => {
			const { agent, diagnostics } = read(`network: ${value}`);
			expect(agent).toMatchObject({ network: "off", readonly: true, warnings: [expect.stringMatching("network")] });
			expect(diagnostics).toMatchObject([{ severity: "warning", line: 3, key: "network" }]);
		},
	);

	test("in another spelling is an error", () => {
		expect(read("Network: off").diagnostics).toMatchObject([{ severity: "error" }]);
	});
});

describe("isolation", () => {
	const read = (value: string) =>
		parseAgent(`---\nname: a\n${value}\n---\nDo it.`, { file: "/x/a.md", source: "user" });

	test.each([
		["isolation: process", "process"],
		["isolation: shared", "shared"],
		["isolation: worktree", "worktree"],
		["", "shared"],
		["isolation:", "shared"],
	])("%s", (line, isolation) => {
		const { agent, diagnostics } = read(line);
		expect([agent?.isolation, diagnostics]).toEqual([isolation, []]);
	});

	test.each(["container", "true", "[process]"])("%s is not known, so the agent is read-only", (value) => {
		const { agent, diagnostics } = read(`isolation: ${value}`);
		expect(agent).toMatchObject({
			isolation: "shared",
			readonly: true,
			warnings: [expect.stringMatching("isolation")],
		});
		expect(diagnostics).toMatchObject([{ severity: "warning", line: 3, key: "isolation" }]);
	});
});

describe("a plain file", () => {
	test("gives an agent with every field", () => {
		const { agent, diagnostics } = withFields(
			"description: Does it",
			"readonly: true",
			"tools: [read, web_search]",
			"model: some/model",
			"thinking: off",
			"context: fork",
			"maxTurns: 3",
			"timeoutMs: 1000",
			"idleTimeoutMs: 500.5",
			"maxCostUsd: 0.25",
			"maxTokens: 9000",
			"outputSchema: { type: object, properties: { ok: { type: boolean } }, required: [ok] }",
		);
		expect(diagnostics).toEqual([]);
		expect(agent).toEqual({
			name: "a",
			isolation: "shared",
			description: "Does it",
			readonly: true,
			tools: { kind: "only", names: ["read", "web_search"] },
			writtenAs: {},
			leftOut: [],
			warnings: [],
			model: "some/model",
			thinking: "off",
			context: "fork",
			limits: { maxTurns: 3, timeoutMs: 1000, idleTimeoutMs: 500.5, maxCostUsd: 0.25, maxTokens: 9000 },
			outputSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
			prompt: "Do it.",
			source: "user",
			file: "/x/agent.md",
			digest: expect.stringMatching(/^[0-9a-f]{64}$/),
		});
	});

	test("leaves out what it does not say", () => {
		const { agent } = withFields();
		expect(agent).toMatchObject({
			description: "",
			readonly: false,
			tools: { kind: "inherit", except: [] },
			limits: {},
		});
		expect(agent).not.toHaveProperty("model");
		expect(agent).not.toHaveProperty("thinking");
		expect(agent).not.toHaveProperty("outputSchema");
	});

	test("has a digest that follows the text", () => {
		expect(withFields().agent?.digest).toBe(withFields().agent?.digest);
		expect(withFields().agent?.digest).not.toBe(withFields("# a comment").agent?.digest);
	});

	test.each([
		["the body", "---\nname: a\ndescription: d\n---\n\n body \n", "body"],
		["the description for an empty body", "---\nname: a\ndescription: d\n---\n \n", "d"],
		["a default for neither", "---\nname: a\n---", expect.stringContaining("subagent")],
	])("takes its prompt from %s", (_, text, prompt) => {
		expect(parse(text).agent?.prompt).toEqual(prompt);
	});

	test("may have a description of several lines", () => {
		expect(withFields("description: |", "  one", "  two").agent?.description).toBe("one\ntwo");
		expect(withFields("description: >-", "  one", "  two").agent?.description).toBe("one two");
	});

	test("may have a byte order mark and Windows line ends", () => {
		const { agent, diagnostics } = parse("\uFEFF---\r\nname: a\r\nreadonly: true\r\n---\r\none\r\ntwo\r\n");
		expect(diagnostics).toEqual([]);
		expect(agent).toMatchObject({ name: "a", readonly: true, prompt: "one\ntwo" });
	});

	test("keeps a rule in the body", () => {
		expect(parse("---\nname: a\n---\nabove\n---\nbelow").agent?.prompt).toBe("above\n---\nbelow");
	});
});

describe("a file that is not an agent", () => {
	const multiply = (i: number) => {
		const name = String.fromCharCode(97 + i);
		return `${name}${name}: &${String.fromCharCode(98 + i)} [${Array(9).fill(`*${name}`).join(", ")}]`;
	};

	test.each([
		["frontmatter below an empty line", "\n---\nname: a\n---\n", "not at the start"],
		["frontmatter behind a character nobody sees", "\u200b---\nname: a\n---\n", "not at the start"],
		["open frontmatter", "---\nname: a\n", "not closed"],
		["empty frontmatter", "---\n---\nbody", "no name"],
		["no name", "---\ndescription: d\n---\n", "no name"],
		["an empty name", "---\nname:\n---\n", "no name"],
		["a list as frontmatter", "---\n- a\n---\n", "no fields"],
	])("with %s is skipped and says why", (_, text, reason) => {
		const { agent, diagnostics } = parse(text);
		expect(agent).toBeUndefined();
		expect(diagnostics).toHaveLength(1);
		expect(diagnostics[0]).toMatchObject({ severity: "error", file: "/x/agent.md" });
		expect(diagnostics[0]?.message).toContain(reason);
	});

	test.each(["# Title\n", "", "Text\n---\nname: a\n---\n", "+++\nname = 'a'\n+++\n"])(
		"without frontmatter is no mistake",
		(text) => {
			expect(parse(text)).toEqual({ diagnostics: [] });
		},
	);

	test.each(["../x", ".hidden", "-a", "x".repeat(65), `${"x ".repeat(33)}x`, "42", "[a]", "レビュー", "é a", "“a”"])(
		"cannot be called %s",
		(name) => {
			const { agent, diagnostics } = parse(`---\nname: ${name}\n---\n`);
			expect(agent).toBeUndefined();
			expect(diagnostics).toMatchObject([{ severity: "error", key: "name", line: 2 }]);
		},
	);

	test.each([
		["Code Reviewer", "code-reviewer"],
		["R&D / Test (Lab) Lead", "r-d-test-lab-lead"],
		["Metal   Engineer 2.0", "metal-engineer-2.0"],
		["Tidy - Up!", "tidy-up"],
		["C++ Tuner", "cpp-tuner"],
		["C# Tuner", "csharp-tuner"],
		["a/b", "a-b"],
	])("that Claude Code calls %s is called %s, with a warning", (written, name) => {
		const { agent, diagnostics } = parse(`---\nname: ${written}\n---\n`);
		expect(agent?.name).toBe(name);
		expect(diagnostics).toMatchObject([{ severity: "warning", key: "name", line: 2, column: 7 }]);
		expect(diagnostics[0]?.remedy).toBe(`Write \`name: ${name}\`.`);
	});

	test.each(["", "name: レビュー担当"])("is offered the name of its file (%s)", (line) => {
		for (const file of ["/x/code-auditor.md", "/x/code-auditor.agent.md", "/x/code-auditor.chatmode.md"]) {
			const { diagnostics } = parseAgent(`---\n${line}\n---\n`, { file, source: "user" });
			expect(diagnostics).toMatchObject([{ severity: "error", remedy: expect.stringMatching(/code-auditor`/) }]);
		}
	});

	test.each(["a", "A.b_c-9", "x".repeat(64), '"42"'])("can be called %s", (name) => {
		expect(parse(`---\nname: ${name}\n---\n`).agent).toBeDefined();
	});

	test("says line and column of broken YAML", () => {
		const { agent, diagnostics } = parse("---\nname: a\nmodel: x\n  tools: read\n---\n");
		expect(agent).toBeUndefined();
		expect(diagnostics).toHaveLength(1);
		expect(diagnostics[0]).toMatchObject({ severity: "error", line: 3, column: 8 });
		expect(diagnostics.map(formatDiagnostic)[0]).toContain("/x/agent.md:3:8:");
	});

	test.each([
		["the same field twice", "readonly: true\nreadonly: false"],
		["an unknown alias", "readonly: *nobody"],
		["an unknown tag", "readonly: !!js/function 'function () { process.exit(1) }'"],
		["a collection as key", "? [a]\n: b"],
		["aliases that multiply", `a: &a [x]\n${Array.from({ length: 9 }, (_, i) => multiply(i)).join("\n")}`],
		["bottomless nesting", `tools: ${"[".repeat(20_000)}`],
	])("with %s is skipped", (_, lines) => {
		const { agent, diagnostics } = withFields(lines);
		expect(agent).toBeUndefined();
		expect(diagnostics[0]).toMatchObject({ severity: "error", line: expect.any(Number) });
	});

	test("never runs code in it", () => {
		const { agent, diagnostics } = parse("---js\n{ name: (globalThis.ranCode = true, 'a') }\n---\nbody");
		expect(agent).toBeUndefined();
		expect(diagnostics).toEqual([]);
		expect(globalThis).not.toHaveProperty("ranCode");
	});
});

describe("ask", () => {
	test("is true, or absent; anything else is an error, and no agent", () => {
		expect(withFields("ask: true").agent?.ask).toBe(true);
		for (const field of ["ask: false", "ask:", "ask: 0"]) expect(withFields(field).agent).not.toHaveProperty("ask");
		const { agent, diagnostics } = withFields("ask: sometimes");
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", message: "ask is neither true nor false." }]);
	});
});

describe("readonly", () => {
	test.each(["true", "1", '"true"', '"1"', "True"])("%s is true", (value) => {
		expect(withFields(`readonly: ${value}`).agent?.readonly).toBe(true);
	});

	test.each(["false", "0", '"false"'])("%s is false", (value) => {
		expect(withFields(`readonly: ${value}`).agent?.readonly).toBe(false);
	});

	test.each(["maybe", "yes", "on", "", "null", "2", "[true]", "{}", "ture", '""', "~", ".nan"])(
		"%s is an error, never writable",
		(value) => {
			const { agent, diagnostics } = withFields("# comment", `readonly: ${value}`);
			expect(agent).toBeUndefined();
			expect(diagnostics).toMatchObject([{ severity: "error", key: "readonly", line: 4 }]);
		},
	);

	test.each([
		"readOnly",
		"read_only",
		"read-only",
		"READONLY",
		"denied-tools",
		"allowed-tools",
		"disallowed_tools",
		"Tools",
	])("in the spelling %s, like every restriction, is an error", (key) => {
		const { agent, diagnostics } = withFields(`${key}: true`);
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", key, line: 3 }]);
	});
});

describe("tools", () => {
	test.each(["tools", "approved_tools", "allowed_tools"])("%s is a whitelist, as text or list", (key) => {
		const only = { kind: "only", names: ["read", "grep"] };
		expect(withFields(`${key}: read, grep, read,`).agent?.tools).toEqual(only);
		expect(withFields(`${key}:`, "  - read", "  - grep").agent?.tools).toEqual(only);
	});

	test.each(["denied_tools", "disallowedTools"])("%s is a blacklist", (key) => {
		const except = ["bash", "powershell", "write"];
		expect(withFields(`${key}: bash, Write`).agent?.tools).toEqual({ kind: "inherit", except });
	});

	test("a blacklist with another system's name for loading pages denies all tools that load them", () => {
		const exceptOf = (names: string) => withFields(`disallowedTools: ${names}`).agent?.tools;
		expect(exceptOf("WebFetch")).toEqual({ kind: "inherit", except: ["fetch_content", "convert_content"] });
		expect(exceptOf("fetch_content")).toEqual({ kind: "inherit", except: ["fetch_content"] });
	});

	test.each(["tools:", "tools: []", 'tools: ""', "tools: ' , '", "tools: ~"])(
		"an empty whitelist (%s) grants nothing",
		(line) => {
			expect(withFields(line).agent?.tools).toEqual({ kind: "only", names: [] });
		},
	);

	test.each([
		["a whitelist and a blacklist", ["tools: read", "denied_tools: bash"], "ambiguous"],
		["a whitelist and an empty blacklist", ["allowed_tools: read", "disallowedTools: []"], "ambiguous"],
		["two whitelists", ["tools: read", "approved_tools: grep"], "mean the same"],
		["two blacklists", ["denied_tools: bash", "disallowedTools: bash"], "mean the same"],
		["a number", ["tools: 5"], "not a list"],
		["a list with a number", ["denied_tools: [bash, 5]"], "not a list"],
		["a mapping of other than true and false", ["tools: { read: yes }"], "not a list"],
	])("%s is an error", (_, lines, reason) => {
		const { agent, diagnostics } = withFields(...lines);
		expect(agent).toBeUndefined();
		expect(diagnostics).toHaveLength(1);
		expect(diagnostics[0]).toMatchObject({ severity: "error", line: lines.length + 2 });
		expect(diagnostics[0]?.message).toContain(reason);
	});

	test("Claude Code's names become pi's", () => {
		const claude =
			"Read, Grep, Glob, LS, Bash, Edit, MultiEdit, Write, WebFetch, WebSearch, lsp, mcp__github__get_issue";
		expect(withFields(`tools: ${claude}`).agent?.tools).toEqual({
			kind: "only",
			names: [
				...["read", "grep", "find", "ls", "bash", "edit", "write"],
				...["fetch_content", "web_search", "lsp", "mcp__github__get_issue"],
			],
		});
	});

	test.each(["Bash(git:*)", "Bash(git add:*, git commit:*)", "Bash(git", "read grep"])(
		"%s is left out of a whitelist",
		(entry) => {
			const { agent, diagnostics } = withFields(`tools: "Read, ${entry}"`);
			expect(agent?.tools).toEqual({ kind: "only", names: ["read"] });
			expect(diagnostics).toMatchObject([{ severity: "warning", key: "tools", line: 3 }]);
		},
	);

	test("a restricted form in a blacklist denies the whole tool", () => {
		const { agent, diagnostics } = withFields('denied_tools: ["Bash(rm:*)", write]');
		expect(agent?.tools).toEqual({ kind: "inherit", except: ["bash", "powershell", "write"] });
		expect(agent?.leftOut).toMatchObject([{ written: "Bash(rm:*)", tool: "bash" }]);
		expect(diagnostics).toMatchObject([{ severity: "warning", key: "denied_tools" }]);
	});

	test.each([
		[`'["Read", "Grep"]'`, ["read", "grep"]],
		[`'[]'`, []],
		["Read Grep Glob", ["read", "grep", "find"]],
		["|\n  Read\n  Bash", ["read", "bash"]],
	])("a list that is text (%s) is read", (text, names) => {
		expect(withFields(`tools: ${text}`)).toMatchObject({ agent: { tools: { kind: "only", names } }, diagnostics: [] });
	});

	test.each(["Read and Bash", "Read not Bash", "all but Bash", "Read -Bash"])(
		"words that are not all names of tools (%s) grant nothing",
		(text) => {
			expect(withFields(`tools: ${text}`).agent?.tools).toEqual({ kind: "only", names: [] });
		},
	);

	test("a list that is text denies what it names", () => {
		expect(withFields(`disallowedTools: '["Edit", "Write"]'`).agent?.tools).toEqual({
			...{ kind: "inherit", except: ["edit", "write"] },
		});
	});

	test("patterns of one tool are one warning, however many they are", () => {
		const uses = ["sed", "awk", "jq", "cut", "tr"].map((name) => `"Bash(${name}:*)"`);
		const rest = ["Edit(docs/**)", "Task(helper)", "Agent(helper)", "read me", "a b"].map((name) => `"${name}"`);
		expect(withFields(`tools: [${[...uses, ...rest].join(", ")}]`).diagnostics).toMatchObject([
			{
				message: `${uses.slice(0, 3).join(", ")} and 2 more are left out: some uses of a tool cannot be granted here.`,
				remedy: 'Write "bash" to grant the whole tool.',
			},
			{ message: '"Edit(docs/**)" is left out: some uses of a tool cannot be granted here.' },
			{
				message: '"Task(helper)", "Agent(helper)" are left out: some uses of a tool cannot be granted here.',
				remedy: "Remove them: a subagent cannot delegate.",
			},
			{
				message: '"read me", "a b" are left out: each of these is not the name of one tool.',
				remedy: "Name each tool.",
			},
		]);
		expect(withFields(`disallowedTools: [${uses.join(", ")}]`).diagnostics).toMatchObject([
			{
				message: `${uses.slice(0, 3).join(", ")} and 2 more deny all of bash: some uses of a tool cannot be denied here.`,
				remedy: 'Write "bash" to deny it, or remove the entries to grant it.',
			},
		]);
	});

	test.each(["mcp__github", "mcp__github__*", "mcp__*"])("%s stands for tools that planning knows", (entry) => {
		expect(withFields(`tools: "${entry}"`)).toMatchObject({
			agent: { tools: { kind: "only", names: [entry] } },
			diagnostics: [],
		});
		expect(withFields(`denied_tools: "${entry}"`)).toMatchObject({
			agent: { tools: { kind: "inherit", except: [entry] } },
			diagnostics: [],
		});
	});

	test("the difference of two lists counts single tools of an MCP server", () => {
		const toolsOf = (tools: string, denied: string) =>
			withFields(`tools: "${tools}"`, `disallowedTools: "${denied}"`).agent?.tools;
		expect(toolsOf("mcp__a__x, mcp__b__y", "mcp__a")).toEqual({ kind: "only", names: ["mcp__b__y"] });
		expect(toolsOf("mcp__a", "mcp__a__x, bash")).toEqual({ kind: "only", names: ["mcp__a"], except: ["mcp__a__x"] });
	});

	test.each(["*", "bash write"])("%s in a blacklist is an error", (entry) => {
		const { agent, diagnostics } = withFields(`denied_tools: ["${entry}"]`);
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", key: "denied_tools" }]);
	});
});

describe("other fields", () => {
	test.each(["", "~", '""', '" "'])("an empty model (%s) names none, with a warning", (model) => {
		const { agent, diagnostics } = withFields(`model: ${model}`);
		expect(agent).toBeDefined();
		expect(agent).not.toHaveProperty("model");
		expect(diagnostics).toMatchObject([{ severity: "warning", key: "model", line: 3 }]);
	});

	test("model: inherit is kept, since it goes before the configuration's", () => {
		expect(withFields("model: inherit")).toMatchObject({ agent: { model: "inherit" }, diagnostics: [] });
	});

	test.each([
		["maxTurns", "0"],
		["maxTurns", "1.5"],
		["timeoutMs", "-1"],
		["timeoutMs", ".inf"],
		["idleTimeoutMs", ".nan"],
		["maxCostUsd", '"5"'],
		["maxTokens", ""],
		["thinking", "hard"],
		["thinking", "true"],
		["model", "[a, 1]"],
		["model", "{ a: b }"],
		["maxSteps", "0"],
		["steps", "1.5"],
		["description", "{}"],
		["fallbackModels", "{ a: b }"],
		["fallbackModels", "[a, 1]"],
		["skills", "true"],
		["context", "forked"],
		["context", "true"],
		["context", "[fork]"],
		["context", '""'],
		["skills", "[[a]]"],
	])("%s: %s is an error", (key, value) => {
		const { agent, diagnostics } = withFields(`${key}: ${value}`);
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", key, line: 3 }]);
	});

	test.each([
		["fallbackModels: a/b, c/d", { fallbackModels: ["a/b", "c/d"] }],
		["fallbackModels: [a/b, a/b]", { fallbackModels: ["a/b"] }],
		["fallbackModels: []", { fallbackModels: [] }],
		["model: [a/b]", { model: "a/b" }],
		["model: [a/b, c/d, e/f]", { model: "a/b", fallbackModels: ["c/d", "e/f"] }],
		["model: [a/b]\nfallbackModels: c/d", { model: "a/b", fallbackModels: ["c/d"] }],
		["maxSteps: 12", { limits: { maxTurns: 12 } }],
		["steps: 12", { limits: { maxTurns: 12 } }],
		["skills: all", { skills: "all" }],
		["skills: [api, pdf-tools]", { skills: ["api", "pdf-tools"] }],
		["skills: api", { skills: ["api"] }],
	])("%s is read", (field, expected) => {
		expect(withFields(field)).toMatchObject({ agent: expected, diagnostics: [] });
	});

	test("says everything that is wrong at once", () => {
		const { diagnostics } = withFields("maxTurns: 0", "thinking: hard", "readonly: maybe");
		expect(diagnostics.map(({ key }) => key).sort()).toEqual(["maxTurns", "readonly", "thinking"]);
	});

	test("an unknown field is a warning that names the nearest known one", () => {
		const { agent, diagnostics } = withFields("thinkng: low", "banana: 1");
		expect(agent).toBeDefined();
		expect(diagnostics).toMatchObject([
			{ severity: "warning", key: "thinkng", line: 3, remedy: "Did you mean thinking?" },
			{ severity: "warning", key: "banana", line: 4, remedy: "Remove it." },
		]);
	});

	test("several unknown fields are one warning, and none of them is called a misspelt one of ours", () => {
		const { agent, diagnostics } = withFields("mode: subagent", "banana: 1", "steps: [wash, peel]");
		expect(agent?.limits).toEqual({});
		expect(diagnostics).toEqual([
			{
				...{ severity: "warning", file: "/x/agent.md", line: 3, column: 7 },
				...{ message: "Unknown fields, not used: mode, banana, steps.", remedy: "Remove them." },
			},
		]);
	});

	test("a list of models beside fallbackModels is an error", () => {
		const { agent, diagnostics } = withFields("model: [a/b, c/d]", "fallbackModels: e/f");
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", key: "model", line: 3 }]);
	});

	test("a server in the spelling of Copilot is reported with every result, too", () => {
		const { agent } = withFields("mcp-servers: { docs: { type: http } }");
		expect(agent?.warnings).toEqual(["mcp-servers is not used: subagents use the MCP servers of pi's own mcp.json."]);
	});

	test("names of what every object has are no fields", () => {
		const { agent, diagnostics } = withFields("__proto__: { banana: true }", "constructor: 1");
		expect(agent?.readonly).toBe(false);
		expect(diagnostics.map(({ message }) => message)).toEqual(["Unknown fields, not used: __proto__, constructor."]);
	});
});

test("a message stays short, however long what it quotes", () => {
	const { diagnostics } = withFields(`tools: "(${"x".repeat(100_000)}"`);
	expect(diagnostics[0]?.message.length).toBeLessThan(400);
});

describe("outputSchema", () => {
	test.each([
		["a schema with references", "{ $defs: { s: { type: string } }, properties: { a: { $ref: '#/$defs/s' } } }"],
		["a recursive schema", "{ type: object, properties: { next: { $ref: '#' } } }"],
		["an anchor", "{ $defs: { s: { $anchor: here, type: string } }, items: { $ref: '#here' } }"],
		["keywords it does not know", "{ type: object, x-order: 1, examples: [1] }"],
		["nothing", "{}"],
	])("may be %s", (_, schema) => {
		const { agent, diagnostics } = withFields(`outputSchema: ${schema}`);
		expect(diagnostics).toEqual([]);
		expect(agent?.outputSchema).toBeDefined();
	});

	test.each([
		["text", "string", "it must be a mapping"],
		["a list", "[]", "it must be a mapping"],
		["nothing at all", "", "it must be a mapping"],
		["an unknown type", "{ type: strin }", "type must"],
		["an unknown type deep inside", "{ properties: { a: { items: { type: obj } } } }", "properties.a.items"],
		["properties that are none", "{ properties: [a] }", "properties must"],
		["required that is no list", "{ required: a }", "required must"],
		["a broken pattern", "{ pattern: '(' }", "pattern must"],
		["a reference to nowhere", "{ $ref: '#/$defs/none' }", "leads nowhere"],
		["a remote reference", "{ $ref: 'https://example.com/schema' }", "leads nowhere"],
		["a reference to itself", "{ $ref: '#' }", "call stack"],
		["a value that contains itself", "&a { properties: { self: *a } }", "call stack"],
	])("may not be %s", (_, schema, reason) => {
		const { agent, diagnostics } = withFields(`outputSchema: ${schema}`);
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", key: "outputSchema", line: 3 }]);
		expect(diagnostics[0]?.message).toContain(reason);
	});
});

describe("a file of Claude Code", () => {
	const generated = (description: string) => `---
name: code-reviewer
description: ${description}
tools: Glob, Grep, LS, Read, WebFetch, TodoWrite, WebSearch, Bash(git diff:*)
model: inherit
color: red
permissionMode: plan
skills: [api-conventions]
mcpServers:
  - github
hooks:
  PreToolUse:
    - matcher: Bash
      hooks: [{ type: command, command: ./check.sh }]
memory: user
background: false
effort: high
isolation: worktree
initialPrompt: Begin.
maxTurns: 12
---

You are an expert code reviewer.
`;
	const expected = {
		name: "code-reviewer",
		readonly: true,
		tools: {
			kind: "only",
			names: ["find", "grep", "ls", "read", "fetch_content", "TodoWrite", "web_search"],
		},
		writtenAs: { find: "Glob", web_search: "WebSearch" },
		leftOut: [{ written: "Bash(git diff:*)", why: "allows_some_uses", tool: "bash" }],
		thinking: "high",
		skills: ["api-conventions"],
		limits: { maxTurns: 12 },
		prompt: "You are an expert code reviewer.",
	};

	test("works unchanged", () => {
		const { agent, diagnostics } = parse(generated("Reviews code. Use PROACTIVELY after changes."));
		expect(agent).toMatchObject({ ...expected, model: "inherit" });
		expect(diagnostics.map(({ key }) => key)).toEqual([
			...["tools", "permissionMode", "hooks"],
			...["mcpServers", "memory"],
		]);
		expect(agent?.warnings).toHaveLength(4);
	});

	test("works with the unquoted description that its generator writes", () => {
		const description = String.raw`Use this agent when: code was written. Examples:\n<example>user: "Add it" # now</example>`;
		const { agent, diagnostics } = parse(generated(description));
		expect(agent).toMatchObject({ ...expected, description });
		expect(diagnostics[0]).toMatchObject({ severity: "warning", key: "description", line: 3, column: 14 });
	});

	test("works with the unquoted text of a field that is unknown here", () => {
		const { agent, diagnostics } = withFields("title: Gardening: the next step", "tools: Read", "note: a: b: c");
		expect(agent).toMatchObject({ tools: { kind: "only", names: ["read"] } });
		expect(diagnostics).toMatchObject([
			{ severity: "warning", line: 3, column: 8, message: expect.stringContaining("read as plain text") },
			{ severity: "warning", message: "Unknown fields, not used: title, note." },
		]);
	});

	test.each([
		["restricts", ["readOnly: a: b", "tools: Read"]],
		["goes on", ["title: a: b", "  readonly: true", "tools: Read"]],
		["is a mapping", ["metadata: { a: b: c, readonly: true }", "tools: Read"]],
	])("is not repaired where such a field %s", (_, lines) => {
		expect(withFields(...lines).agent).toBeUndefined();
	});

	test("that is a template with braces is told so", () => {
		const { agent, diagnostics } = parse("---\nname: {{ AGENT }}\ntools: Read\n---\n");
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", line: 2, message: expect.stringContaining("in quotes") }]);
	});

	test("is not repaired elsewhere", () => {
		const { agent, diagnostics } = withFields("description: a: b", "model: c: d");
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", line: 3, column: 14 }]);
	});
});

describe("whatever the text", () => {
	const yamlish = fc.stringMatching(/^[a-z:&*!|>"'[\]{},#\-? \n\t%@`~0-9]{0,60}$/);

	test("parsing never throws", () => {
		fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parse(text)));
		fc.assert(fc.property(yamlish, (text) => void parse(`---\nname: a\n${text}\n---\nbody`)));
	});

	test("an agent has no errors, and no agent has at least one", () => {
		fc.assert(
			fc.property(yamlish, (text) => {
				const { agent, diagnostics } = parse(`---\nname: a\n${text}\n---\nbody`);
				expect(diagnostics.some(({ severity }) => severity === "error")).toBe(agent === undefined);
			}),
		);
	});

	test("garbage for readonly never gives a writable agent", () => {
		fc.assert(
			fc.property(fc.oneof(yamlish, fc.string({ unit: "binary" })), (value) => {
				fc.pre(!/false|0|[\n\r]/i.test(value));
				expect(withFields(`readonly: ${value}`).agent?.readonly ?? true).toBe(true);
			}),
		);
	});
});

test("an output schema of a few lines that would keep a validator busy for hours is refused at once", () => {
	const levels = Array.from({ length: 40 }, (_, level) => {
		const next = level === 39 ? { type: "string" } : { $ref: `#/$defs/l${level + 1}` };
		return [`l${level}`, { allOf: [next, next] }];
	});
	const schema = JSON.stringify({ $ref: "#/$defs/l0", $defs: Object.fromEntries(levels) });
	const text = `---\nname: slow\ntools: read\noutputSchema: ${schema}\n---\nWork.\n`;
	const { agent, diagnostics } = parseAgent(text, { file: "slow.md", source: "project" });
	expect(agent).toBeUndefined();
	expect(diagnostics[0]?.message).toContain("too large");
});
