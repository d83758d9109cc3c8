import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentSource } from "../../src/agents/definition.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { packageRoot } from "../../src/config/package-root.ts";
import { type SandboxQuestion, sandboxFor } from "../../src/plan/sandbox.ts";
import type { NetworkSetting } from "../../src/run/network.ts";
import { tryRings } from "../../src/sandbox/probe.ts";
import { planned } from "./launching.ts";

const configWith = (sandbox: Partial<Config["subagents"]["sandbox"]>): Config => {
	const { config } = loadConfig({ userFile: "/nowhere/pi-geon.json" });
	return { ...config, subagents: { ...config.subagents, sandbox: { ...config.subagents.sandbox, ...sandbox } } };
};
const asked = (sandbox: Partial<Config["subagents"]["sandbox"]>, more: Partial<SandboxQuestion> = {}) =>
	sandboxFor({ config: configWith(sandbox), agent: "scout", cwd: "/work/here", tools: ["read", "grep"], ...more });
const refused = (reason: string, message: RegExp) => ({
	refused: true,
	error: { code: "SUBAGENT_DISABLED", reason, message: expect.stringMatching(message) },
});

describe("what the kernel is to enforce", () => {
	test("a run that only reads writes nothing and has no network; one that writes has both, in the checkout", async () => {
		expect(await asked({})).toMatchObject({ mode: "auto", write: "none", network: "off" });
		expect(await asked({}, { tools: ["read", "bash"] })).toMatchObject({ write: "checkout", network: "on" });
		expect(await asked({ network: "off" }, { tools: ["bash"] })).toMatchObject({ network: "off" });
		expect(await asked({ network: "on" })).toMatchObject({ network: "on" });
		const listed = { network: "allowlist", hosts: ["example.com"] };
		expect(await asked({ network: ["example.com"] }, { tools: ["bash"] })).toMatchObject(listed);
		expect(await asked({ network: [] }, { tools: ["bash"] })).toMatchObject({ network: "off" });
	});

	describe("of an agent whose file speaks of the network", () => {
		const networkOf = async (
			configured: NetworkSetting | null,
			wanted: NetworkSetting,
			more: { source?: AgentSource; tools?: string[] } = {},
		) => {
			const { source = "user", tools = ["read"] } = more;
			const sandbox = await asked({ network: configured }, { tools, network: { network: wanted, source } });
			return "network" in sandbox ? sandbox.network : sandbox;
		};

		test("the user's file decides where nothing is configured", async () => {
			expect(await networkOf(null, "on")).toBe("on");
			expect(await networkOf(null, "off", { tools: ["bash"] })).toBe("off");
		});

		test("a project's file narrows the default", async () => {
			expect(await networkOf(null, "on", { source: "project" })).toBe("off");
			expect(await networkOf(null, "on", { source: "project", tools: ["bash"] })).toBe("on");
			expect(await networkOf(null, "off", { source: "project", tools: ["bash"] })).toBe("off");
		});

		test.each<AgentSource>(["builtin", "user", "project"])(
			"a %s file may narrow what is configured",
			async (source) => {
				expect(await networkOf("on", "off", { source })).toBe("off");
				expect(await networkOf("on", "on", { source })).toBe("on");
			},
		);

		test.each<[AgentSource, string]>([
			["builtin", "on"],
			["user", "on"],
			["project", "off"],
		])("a %s file that asks for more than is configured has it %s", async (source, network) => {
			expect(await networkOf("off", "on", { source })).toBe(network);
		});
	});

	test("hidden paths are absolute", async () => {
		const hide = ["/a", "~/b", ".env"];
		expect(await asked({ hide })).toMatchObject({ hide: ["/a", join(homedir(), "b"), "/work/here/.env"] });
	});
});

describe("an agent whose file takes the network away", () => {
	const bash = { config: { subagents: { allowWrite: true } } };
	const trouble = { ringTrouble: async () => "bubblewrap is not installed." };

	test("has its shell where the kernel can enforce that", async () => {
		const parent = { ringTrouble: async () => undefined };
		const plan = await planned({ ...bash, agent: "tools: read, bash\nnetwork: off", parent });
		expect([plan.tools, plan.sandbox?.network, plan.warnings]).toEqual([["read", "bash"], "off", []]);
	});

	test("only reads where it cannot, and the result says why", async () => {
		const plan = await planned({ ...bash, agent: "tools: read, bash\nnetwork: off", parent: trouble });
		expect(plan.tools).toEqual(["read"]);
		expect(plan.warnings).toEqual([
			expect.stringMatching(/^bash was left out: custom is read-only, because network cannot be enforced here/),
			expect.stringMatching(/^network cannot be enforced here, .*bubblewrap is not installed/),
		]);
		const off = { subagents: { allowWrite: true, sandbox: { mode: "off" } } };
		expect((await planned({ config: off, agent: "tools: read, bash\nnetwork: [a.b]" })).tools).toEqual(["read"]);
	});

	test("and one whose file does not, keeps its shell", async () => {
		for (const line of ["", "network: on"]) {
			const plan = await planned({ ...bash, agent: `tools: read, bash\n${line}`, parent: trouble });
			expect(plan.tools).toEqual(["read", "bash"]);
		}
	});
});

describe("a project's file that asks for more network than it gets", () => {
	const told = async (network: string, configured: NetworkSetting | null, more: object = {}) => {
		const config = { subagents: { allowWrite: true, sandbox: { network: configured, ...more } } };
		const agent = `tools: read, bash\nnetwork: ${network}`;
		const parent = { ringTrouble: async () => undefined };
		return (await planned({ agent, source: "project", config, parent })).warnings;
	};
	const narrowed = (from: string, to: string) => [
		`\`network: ${from}\` in the file of custom was narrowed to ${to}: a project's file may not go beyond subagents.sandbox.network in pi-geon.json.`,
	];

	test("has a warning that names the setting", async () => {
		expect(await told("on", "off")).toEqual(narrowed("on", "off"));
		expect(await told("on", ["a.com"])).toEqual(narrowed("on", "a.com"));
		expect(await told("[a.com, b.com]", ["a.com"])).toEqual(narrowed("a.com, b.com", "a.com"));
		expect(await told("[b.com]", ["a.com"])).toEqual(narrowed("b.com", "off"));
		expect(await told("['*.a.com']", ["x.a.com"])).toEqual(narrowed("*.a.com", "x.a.com"));
	});

	test("has none if it asks for the same or less", async () => {
		expect(await told("on", "on")).toEqual([]);
		expect(await told("on", null)).toEqual([]);
		expect(await told("off", "on")).toEqual([]);
		expect(await told("[a.com]", "on")).toEqual([]);
		expect(await told("[x.a.com]", ["*.a.com", "b.com"])).toEqual([]);
		expect(await told("[A.com]", ["a.com"])).toEqual([]);
	});

	test("has none where nothing is enforced, and the user's own file never has one", async () => {
		expect(await told("on", "off", { mode: "off" })).toEqual([]);
		const config = { subagents: { sandbox: { network: "off" } } };
		expect((await planned({ agent: "tools: read\nnetwork: on", config })).warnings).toEqual([]);
	});
});

describe("where it is required", () => {
	const require = { mode: "require" as const };
	test("a run that would write in the checkout, and tools of extensions, are refused", async () => {
		expect(await asked(require, { tools: ["bash"] })).toEqual(refused("not_isolated", /write in your checkout/));
		const extensionOf = { read: "/home/u/.pi/agent/extensions/mine.ts" };
		expect(await asked(require, { extensionOf })).toEqual(refused("not_isolated", /tools of extensions .*: read\./));
		const ours = { lsp: join(packageRoot(), "dist", "lsp.js") };
		expect(await asked(require, { tools: ["lsp"], extensionOf: ours })).toMatchObject({ mode: "require" });
	});

	test("so are all where the kernel cannot, in its own words", async () => {
		const ringTrouble = async () => "bubblewrap is not installed.";
		expect(await asked(require, { ringTrouble })).toEqual(
			refused("sandbox_unavailable", /bubblewrap is not installed/),
		);
		expect(await asked({ mode: "auto" }, { ringTrouble })).toMatchObject({ mode: "auto" });
	});

	test("so are all on Windows, where `auto` lets them run", async () => {
		const ringTrouble = async () => {
			const probe = await tryRings("win32");
			return probe.can ? undefined : probe.why;
		};
		expect(await asked(require, { ringTrouble })).toEqual(refused("sandbox_unavailable", /no sandbox for win32/));
		expect(await asked({ mode: "auto" }, { ringTrouble })).toMatchObject({ mode: "auto", write: "none" });
	});
});
