import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { packageRoot } from "../../src/config/package-root.ts";
import type { RunOrder } from "../../src/pool/job.ts";
import { guestPlan } from "../../src/pool/porter/guest-plan.ts";
import { newRunId } from "../../src/run/ids.ts";
import { admission } from "../ledger/samples.ts";

const { config: defaults } = loadConfig({ userFile: "/nowhere/pi-geon.json" });
const { plan } = admission();
const order = (more: object = {}): RunOrder => ({
	version: 1,
	kind: "run",
	runId: newRunId(),
	requester: "ada@laptop",
	plan: {
		...plan,
		cwd: "/home/ada/project",
		prompt: "You work in /home/ada/project.",
		extensions: ["dist/lsp.js"],
		maxAttempts: 1000,
		pool: { name: "team", maxAttempts: 2 },
		sandbox: { mode: "auto", write: "none", network: "on", sockets: true, env: ["SECRET"], hide: ["/home/ada/keys"] },
		...more,
	},
	repository: { key: "0123456789abcdef", commit: "a".repeat(40), dirty: false, prefix: "", bundled: true },
});
const session = { id: plan.session.id, file: "/worker/session.jsonl", resumed: true };
const guest = (from: RunOrder, config: Config = defaults) =>
	guestPlan({ order: from, cwd: "/worker/checkout", session, config, elapsedMs: 400 });

describe("a run that came from elsewhere", () => {
	test("has what this machine has, and the stricter of what both ends say", () => {
		const sandbox = {
			mode: "require" as const,
			network: ["example.com"],
			sockets: false,
			env: ["CI"],
			hide: ["/worker/keys"],
		};
		const made = guest(order(), { ...defaults, subagents: { ...defaults.subagents, sandbox } });
		expect(made).toMatchObject({
			guest: true,
			cwd: "/worker/checkout",
			prompt: "You work in /worker/checkout.",
			extensions: [join(packageRoot(), "dist/lsp.js")],
			maxAttempts: 2,
			limits: { timeoutMs: plan.limits.timeoutMs },
			workedMs: 400,
			sandbox: {
				mode: "require",
				network: "allowlist",
				hosts: ["example.com"],
				sockets: false,
				env: ["CI"],
				hide: ["/worker/keys"],
			},
			session,
		});
		expect(made).not.toHaveProperty("pool");
	});

	test("says that the worker lets it reach less of the network than was planned, if so", () => {
		const told = (network: Config["subagents"]["sandbox"]["network"]) => {
			const sandbox = { ...defaults.subagents.sandbox, network };
			return guest(order(), { ...defaults, subagents: { ...defaults.subagents, sandbox } }).warnings;
		};
		expect(told("off")).toEqual([
			"The network was narrowed from on to off: subagents.sandbox.network in the worker's pi-geon.json.",
		]);
		expect(told(["example.com"])).toEqual([expect.stringContaining("from on to example.com")]);
		for (const network of ["on", null] as const) expect(told(network)).toEqual([]);
	});

	test("does not see what the worker hides below its home and in the checkout", () => {
		const hide = ["/worker/keys", "~/notes", "secrets", "./.env"];
		const sandbox = { ...defaults.subagents.sandbox, hide };
		const made = guest(order(), { ...defaults, subagents: { ...defaults.subagents, sandbox } });
		expect(made.sandbox?.hide).toEqual([
			"/worker/keys",
			join(homedir(), "notes"),
			"/worker/checkout/secrets",
			"/worker/checkout/.env",
		]);
	});

	test.each([
		["denies it by another name", { allow: null, deny: ["Bash"] }, "bash"],
		["denies some of its uses", { allow: null, deny: ["Bash(git:*)"] }, "bash"],
		["denies the name that Claude Code has for it", { allow: null, deny: ["WebFetch"] }, "fetch_content"],
		["allows only some of its uses", { allow: ["read", "Bash(git:*)", "WebFetch"], deny: [] }, "bash"],
	])("is refused a tool if the worker %s", (_, tools, refused) => {
		const from = order({ tools: ["read", "bash", "fetch_content"] });
		const config = { ...defaults, tools: { subagents: { tools } } };
		expect(() => guest(from, config)).toThrow(`The worker does not allow these tools: ${refused}.`);
	});

	test("has the tools that the worker allows by another name", () => {
		const config = { ...defaults, tools: { subagents: { tools: { allow: ["Read", "WebFetch"], deny: [] } } } };
		expect(guest(order({ tools: ["read", "fetch_content"] }), config).tools).toEqual(["read", "fetch_content"]);
	});

	describe("with lsp", () => {
		const withLsp = { tools: ["read", "lsp"], extensionOf: { lsp: "dist/lsp.js" }, lspActions: ["hover", "symbols"] };
		const worker = (settings: Partial<Config["subagents"]>): Config => ({
			...defaults,
			subagents: { ...defaults.subagents, ...settings },
		});

		test("has the actions that both ends allow", () => {
			const made = guest(order(withLsp), worker({ allowedLspActions: ["symbols", "references"] }));
			expect(made).toMatchObject({ tools: ["read", "lsp"], lspActions: ["symbols"], warnings: plan.warnings });
		});

		test.each([
			["switched it off", { allowLspTools: false }, "subagents.allowLspTools is false"],
			["allows no action", { allowedLspActions: [] }, "subagents.allowedLspActions allows"],
			[
				"allows no action of the run",
				{ allowedLspActions: ["references" as const] },
				"subagents.allowedLspActions allows",
			],
		])("does not have it if the worker %s, and is told why", (_, settings, why) => {
			const made = guest(order(withLsp), worker(settings));
			expect(made).toMatchObject({ tools: ["read"], extensions: [], lspActions: [] });
			expect(made.extensionOf).toEqual({});
			expect(made.warnings).toEqual([...plan.warnings, expect.stringContaining(why)]);
		});

		test("is refused if nothing else is left to it", () => {
			const from = order({ ...withLsp, tools: ["lsp"] });
			expect(() => guest(from, worker({ allowLspTools: false }))).toThrow(
				"The worker does not allow these tools: lsp.",
			);
		});
	});

	test("is refused by name if the worker forbids it, or has no such account or file", () => {
		const denying = { ...defaults, tools: { subagents: { tools: { allow: null, deny: [plan.tools[0] ?? ""] } } } };
		expect(() => guest(order(), denying)).toThrow(`The worker does not allow these tools: ${plan.tools[0]}.`);
		expect(() => guest(order({ principal: { id: "work" } }))).toThrow("no account for the agentId work");
		expect(() => guest(order({ extensions: ["../elsewhere.js"] }))).toThrow(
			"does not have the extension ../elsewhere.js",
		);
	});
});
