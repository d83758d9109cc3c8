import { describe, expect, test } from "vitest";
import { parseAgent } from "../../src/agents/parse.ts";
import { isRefusal } from "../../src/run/errors.ts";
import { planned, refused } from "../plan/launching.ts";

const parse = (...lines: string[]) =>
	parseAgent(["---", "name: a", ...lines, "---", "Do it."].join("\n"), { file: "/x/a.md", source: "user" });

const ALL = { subagents: { allowWrite: true } };

describe("a restriction that the file's author wrote is never lost", () => {
	test.each([
		["a merge key", ["base: &base { readonly: true }", "<<: *base"], "<<"],
		["a merge key in a list", ["base: &base { readonly: true }", "<<: [*base]"], "<<"],
		["a merge key in flow style", ["base: &base { readonly: true }", '"<<": *base'], "<<"],
		["a merge key inside the output schema", ["outputSchema: { <<: { required: [a] } }"], "outputSchema"],
		["a Cyrillic letter", ["re\u0430donly: true"], "re\u0430donly"],
		["a no-break space", ['"readonly\u00a0": true'], "readonly\u00a0"],
		["a zero-width space", ['"read\u200bonly": true'], "read\u200bonly"],
		["a full-width letter", ["\uff52eadonly: true"], "\uff52eadonly"],
		["a soft hyphen that only an escape shows", ['"read\\u00adonly": true'], "read\u00adonly"],
		["a control character", ['"readonly\\u0000": true'], "readonly\u0000"],
		["a space at its end", ['"readonly ": true'], "readonly "],
		["capitals", ["ReadOnly: true"], "ReadOnly"],
		["a letter too many", ["readonlyy: true"], "readonlyy"],
		["two letters swapped", ["raedonly: true"], "raedonly"],
		["a digit for a letter", ["read0nly: true"], "read0nly"],
		["one letter less", ["tool: read"], "tool"],
		["another system's name for it", ["excludeTools: bash"], "excludeTools"],
		["another system's word for it", ["blocked_tools: bash"], "blocked_tools"],
		["a level too deep", ["metadata: { readonly: true }"], "metadata"],
		["a level too deep, in another spelling", ["config:", "  disallowed-tools: bash"], "config"],
		["an alias", ["yes: &yes true", "readonly: *yes"], "readonly"],
		["an alias in a list", ["b: &b Bash", "disallowedTools: [*b]"], "disallowedTools"],
	])("with %s the file is an error", (_, lines, key) => {
		const { agent, diagnostics } = parse(...lines);
		expect(agent).toBeUndefined();
		const about = diagnostics.filter((problem) => problem.key === key && problem.severity === "error");
		expect(about).toMatchObject([{ line: expect.any(Number), remedy: expect.stringMatching(/./) }]);
	});

	test.each([
		["twice", ["readonly: true", "readonly: false"]],
		["twice, once in quotes", ["readonly: true", '"readonly": false']],
		["twice, once as an escape", ["readonly: true", '"read\\u006fnly": false']],
		["in a second document", ["description: d", "...", "readonly: true"]],
		["as an explicit key", ["? readonly", ": true"]],
		["under a directive", ["%YAML 1.1", "readonly: true"]],
	])("written %s it holds, or the file is an error", (_, lines) => {
		expect(parse(...lines).agent?.readonly ?? true).toBe(true);
	});

	test.each([
		["indented", ["description: Use it: now", "  readonly: true"]],
		["indented, in another spelling", ["description: Use it: now", "  Read-Only: true"]],
		["indented, with letters that only look right", ["description: Use it: now", "  \uff52eadonly: true"]],
		["indented, as a list of tools", ["description: Use it: now", "  disallowedTools: bash"]],
		["indented, under a name we do not know", ["description: Use it: now", "  secure: true"]],
		["at the margin, under a name we do not know", ["description: Use it: now", "secure: true"]],
	])("swallowed by a description that is not valid YAML (%s), it is an error", (_, lines) => {
		const { agent, diagnostics } = parse(...lines);
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", key: "description", line: 4 }]);
	});

	test("after a description that is not valid YAML, it holds", () => {
		const { agent } = parse("description: Use it: now", 'user: "Help: me"', '"readonly": true');
		expect(agent).toMatchObject({ readonly: true, description: 'Use it: now\nuser: "Help: me"' });
		expect(parse("description: Use it: now", "Read_Only: true").agent).toBeUndefined();
	});

	test("a field name is quoted in the message so that what is invisible can be seen", () => {
		const [problem] = parse('"read\u200bonly": true').diagnostics;
		expect(problem?.message).toContain("U+200B");
	});
});

describe("a restriction that cannot be enforced makes the agent read-only, with a warning", () => {
	test.each([
		["permissionMode: plan", "permissionMode"],
		["permissionMode: dontAsk", "permissionMode"],
		["permissionMode: somethingNew", "permissionMode"],
		["permissionMode: [plan]", "permissionMode"],
		["hooks: { PreToolUse: [{ matcher: Bash, hooks: [{ type: command, command: ./check.sh }] }] }", "hooks"],
		["hooks: ./hooks.json", "hooks"],
		["isolation: container", "isolation"],
		["isolation: true", "isolation"],
		["isolation: [process]", "isolation"],
		["permission: { edit: deny, bash: ask }", "permission"],
		["permissions: { deny: [Bash] }", "permissions"],
		["sandbox: read-only", "sandbox"],
	])("%s", async (line, key) => {
		const { agent, diagnostics } = parse(line, "tools: read, bash, edit");
		expect(agent?.readonly).toBe(true);
		expect(agent?.warnings).toEqual([expect.stringContaining(key)]);
		expect(diagnostics).toMatchObject([{ severity: "warning", key, line: 3 }]);
		const plan = await planned({ agent: `${line}\ntools: read, bash, edit`, config: ALL });
		expect(plan.tools).toEqual(["read"]);
		expect(plan.warnings).toEqual(expect.arrayContaining([expect.stringContaining(key)]));
		expect(plan.warnings.find((warning) => warning.includes(key))).toContain("read-only");
	});

	test.each([
		"permissionMode: default",
		"permissionMode: acceptEdits",
		"permissionMode: auto",
		"permissionMode: bypassPermissions",
		"permissionMode:",
		"hooks: {}",
		"hooks:",
		"isolation: process",
		"isolation: shared",
		"isolation:",
		"network: on",
	])("%s takes nothing away", async (line) => {
		const { agent, diagnostics } = parse(line, "tools: read, bash");
		expect([agent?.readonly, agent?.warnings, diagnostics]).toEqual([false, [], []]);
		const plan = await planned({ agent: `${line}\ntools: read, bash`, config: ALL });
		expect(plan.tools).toEqual(["read", "bash"]);
	});

	test.each(["bypassPermissions", "acceptEdits", "auto"])("permissionMode: %s gives nothing either", async (mode) => {
		const plan = await planned({ agent: `permissionMode: ${mode}\ntools: read, bash` });
		expect(plan.tools).toEqual(["read"]);
		const held = await planned({ agent: `permissionMode: ${mode}\nreadonly: true\ntools: read, bash`, config: ALL });
		expect(isRefusal(held)).toBe(false);
		expect(held.tools).toEqual(["read"]);
	});

	test("several of them are each said", () => {
		const { agent } = parse("permissionMode: plan", "hooks: { Stop: [x] }", "isolation: container");
		expect(agent?.readonly).toBe(true);
		expect(agent?.warnings).toHaveLength(3);
	});
});

describe("a tool that a file withholds is withheld, also one that only reads", () => {
	const web = ["web_search", "fetch_content", "convert_content"];
	const reads = ["read", "grep", "find", "ls", "lsp"];
	const active = [...reads, ...web, "bash", "powershell", "edit", "write"];
	const knownTools = active.map((name) => ({ name, ...(!name.startsWith("mcp") && { extension: `/x/${name}.js` }) }));
	const toolsOf = async (agent: string) =>
		(await planned({ agent, config: ALL, parent: { activeTools: active, knownTools } })).tools;

	test.each<[string, string[]]>([
		["permission: { edit: deny, webfetch: deny, websearch: deny }", reads],
		["permission: { webfetch: ask }", [...reads, "web_search"]],
		["permission: { webfetch: { '*': deny, 'https://example.com/*': allow } }", [...reads, "web_search"]],
		["permission: { read: { '*': allow, '*.pem': deny } }", [...reads, ...web]],
		["permission: { '*': deny, read: allow, glob: allow, bash: allow }", ["read", "find"]],
		["permission: { '*': ask, list: allow, edit: { '*': deny } }", ["ls"]],
		["permission: { '*': allow, grep: deny, task: deny }", ["read", "find", "ls", "lsp", ...web]],
		["permissions: { deny: [WebFetch, 'Bash(rm:*)'] }", [...reads, "web_search"]],
		["permissions: { allow: [Read] }", [...reads, ...web]],
		["deny: [WebSearch, LS]", ["read", "grep", "find", "lsp", "fetch_content", "convert_content"]],
		["deny: websearch", [...reads, "fetch_content", "convert_content"]],
		["offline: true", reads],
		["web: false", reads],
		["internet_access: false", reads],
	])("%s", async (field, tools) => {
		expect(await toolsOf(field)).toEqual(tools);
		const listed = await toolsOf(`tools: ${active.join(", ")}\n${field}`);
		expect(listed.sort()).toEqual([...tools].sort());
	});

	test.each(["permission: deny", "permission: ask", "permissions: { '*': deny }"])(
		"%s leaves nothing",
		async (field) => {
			const { error } = await refused({ agent: field, config: ALL, parent: { activeTools: active, knownTools } });
			expect(error).toMatchObject({ code: "SUBAGENT_DISABLED", reason: "no_tools" });
		},
	);

	test("beside a whitelist, permission takes away and never gives", async () => {
		expect(await toolsOf("tools: read, webfetch\npermission: { '*': deny, read: allow, grep: allow }")).toEqual([
			"read",
		]);
	});

	test.each(["bash", "Bash", "Bash(rm:*)"])("who denies %s denies both shells", async (name) => {
		const tools = await toolsOf(`disallowedTools: ${name}`);
		expect(tools).toEqual(active.filter((tool) => tool !== "bash" && tool !== "powershell"));
		expect(await toolsOf(`tools: { ${name.split("(")[0]}: false }`)).not.toContain("powershell");
	});

	test.each(["extensions: false", "extensions: ./one.ts", "extensions: []", "exclude_extensions: one.ts"])(
		"%s, for an agent that inherits tools, makes it read-only",
		async (field) => {
			expect(await toolsOf(field)).toEqual([...reads, ...web]);
		},
	);

	test.each(["extensions: true\ntools: read, bash", "extensions: ./one.ts\ntools: read, bash"])(
		"%j takes nothing from a list of tools",
		(fields) => {
			const { agent } = parse(...fields.split("\n"));
			expect([agent?.readonly, agent?.warnings]).toEqual([false, []]);
		},
	);
});

describe("a field that is unknown here", () => {
	test.each([
		"access: read-only",
		"file_access: ReadOnly",
		"mode: read_only",
		"mode: plan",
		"mode: ask",
		"write: false",
		"shell: off",
		"canEdit: false",
		"allow-network: deny",
		"internet: no",
		"no_write: true",
		"disable-bash: true",
		"safe_mode: true",
		"sandboxed: true",
		"allowed: [src]",
		"exclude: ['**/*.pem']",
		"allowed_commands: [make]",
		"deniedCommands: rm, dd",
		"blocked_paths: [secrets]",
		"allowedDirectories: [docs]",
		"domainAllowlist: [example.org]",
		"command_whitelist: make",
		"approval_policy: on-request",
		"requires_confirmation: true",
		"capabilities: { write: false }",
		"options: { filesystem: { write: deny } }",
	])("that seems to restrict (%s) makes the agent read-only, with a warning", async (field) => {
		const { agent, diagnostics } = parse(field, "tools: read, bash, edit");
		const key = field.split(":")[0];
		expect(diagnostics).toMatchObject([
			{ severity: "warning", key, line: 3, remedy: expect.stringMatching(/^Remove /) },
		]);
		expect(agent?.warnings).toEqual([expect.stringMatching(/cannot be enforced here, so the agent is read-only\.$/)]);
		const plan = await planned({ agent: `${field}\ntools: read, bash, edit`, config: ALL });
		expect(plan.tools).toEqual(["read"]);
	});

	test.each([
		"available_tools: [read]",
		"tools-allowed: read",
		"toolsDenied: [bash]",
		"disable_tools: bash",
		"blocklist_tools: [bash]",
	])("that seems to list tools (%s) is an error", (field) => {
		const { agent, diagnostics } = parse(field);
		expect(agent).toBeUndefined();
		expect(diagnostics).toMatchObject([{ severity: "error", line: 3 }]);
	});

	test.each([
		"mode: subagent",
		"write: true",
		"web: true",
		"approval: never",
		"approvals: auto",
		"require_approval: false",
		"allowed_commands: '*'",
		"allowed_domains: [all]",
		"blocked: false",
		"exclude: []",
		"safe_mode: false",
		"proactive: true",
		"hidden: false",
		"parallel: no",
		"capabilities: [write, tests]",
		"metadata: { version: 1, experimental: false }",
		"commands: [build, test]",
		"spacing: { block: 80px, inline: 4px }",
		"files: [a.ts]",
		"examples: [{ write: a letter }]",
		"allowed_agents: [helper]",
		"tools_used: [make]",
		"expected_tools: 3",
	])("that does not (%s) takes nothing away", (field) => {
		const { agent } = parse(field, "tools: read, bash");
		expect([agent?.readonly, agent?.warnings]).toEqual([false, []]);
	});

	test.each(["max_iterations: 3", "timeout_minutes: 5", "budget: 2", "limitTurns: 4"])(
		"that seems to be a limit (%s) is told with every result",
		async (field) => {
			const { agent } = parse(field);
			expect(agent?.warnings).toEqual([`Unknown field ${field.split(":")[0]}, not used.`]);
		},
	);

	test.each(["isolation: none", "isolation: false", "permissionMode: ''", "sandbox: ' '"])(
		"%s restricts nothing",
		(field) => {
			const { agent, diagnostics } = parse(field);
			expect([agent?.readonly, diagnostics]).toEqual([false, []]);
		},
	);
});
