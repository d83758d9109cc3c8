import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { packageRoot } from "../../src/config/package-root.ts";
import { type SandboxQuestion, sandboxFor } from "../../src/plan/sandbox.ts";

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
		expect(await asked({ network: ["example.com"] }, { tools: ["bash"] })).toMatchObject({ network: "off" });
	});

	test("hidden paths are absolute", async () => {
		const hide = ["/a", "~/b", ".env"];
		expect(await asked({ hide })).toMatchObject({ hide: ["/a", join(homedir(), "b"), "/work/here/.env"] });
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
		expect(await asked({ ...require, network: ["a.b"] })).toEqual(refused("sandbox_unavailable", /list of hosts/));
	});
});
