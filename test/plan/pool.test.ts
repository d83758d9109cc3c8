import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { packageRoot } from "../../src/config/package-root.ts";
import { poolFor, refusedByPool } from "../../src/plan/pool.ts";
import { newSessionId } from "../../src/run/ids.ts";

const folder = mkdtempSync(join(tmpdir(), "pool-plan-"));
mkdirSync(join(folder, "repository", ".git"), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const cwd = join(folder, "repository");

const config = (pool: string | null = null) =>
	({
		pools: [{ name: "team", urlEnv: "X", urlFile: null, setup: null }],
		agents: { defaults: { subagents: { pool } } },
	}) as unknown as Config;
const agent = { name: "scout", source: "user" as const };
const ask = (more: object = {}) =>
	poolFor({ requested: undefined, agent, last: undefined, config: config(), cwd, ...more });

describe("the pool of a run", () => {
	test("is the call's, or the session's, or the agent's, or the default; and none without any", () => {
		expect(ask()).toEqual({ warnings: [] });
		expect(ask({ requested: "team" })).toMatchObject({ pool: "team" });
		expect(ask({ last: { model: "a/b", projectTrusted: false, pool: "team" } })).toMatchObject({ pool: "team" });
		expect(ask({ agent: { ...agent, pool: "team" } })).toMatchObject({ pool: "team" });
		expect(ask({ config: config("team") })).toMatchObject({ pool: "team" });
	});

	test("is never what a project's agent file says", () => {
		const asked = ask({ agent: { ...agent, source: "project", pool: "team" } });
		expect(asked).toEqual({ warnings: [expect.stringContaining("a project may not send its source to a pool")] });
	});

	test("must be configured, and needs a git repository", () => {
		expect(ask({ agent: { ...agent, pool: "other" } })).toEqual({
			warnings: [expect.stringContaining("no such pool is configured")],
		});
		expect(ask({ requested: "other" })).toMatchObject({
			error: { message: 'There is no pool "other". Configured: team (pools in pi-geon.json).', reason: "unknown_pool" },
		});
		expect(ask({ requested: "team", cwd: folder })).toMatchObject({
			error: { message: expect.stringContaining("is not in a git repository") },
		});
	});
});

describe("a plan that a worker cannot have is refused by name", () => {
	const plan = {
		tools: ["read"],
		extensions: [join(packageRoot(), "dist", "lsp.js")],
		model: { provider: "p", id: "m" },
		session: { id: newSessionId(), file: "/f", resumed: false },
	};
	const sandbox = { mode: "auto" as const, network: "off" as const, sockets: false, env: [], hide: [] };

	test.each([
		["a copy of the conversation", { session: { ...plan.session, fork: "/copy" } }, "the conversation of the parent"],
		["questions", { tools: ["read", "subagent_ask"] }, "cannot ask the user"],
		["a tool of an MCP server", { tools: ["mcp__db__query"] }, "mcp__db__query"],
		["a tool of the user's extension", { tools: ["deploy"], extensionOf: { deploy: "/home/me/deploy.ts" } }, "deploy"],
		["the user's extension", { extensions: ["/home/me/other.ts"] }, "/home/me/other.ts"],
		["a model of an extension", { model: { provider: "p", id: "m", extensions: ["/x.ts"] } }, "the model p/m"],
		["writing in the checkout", { sandbox: { ...sandbox, write: "checkout" as const } }, "isolation: worktree"],
	])("%s", (_what, more, words) => {
		expect(refusedByPool("team", plan)).toBeUndefined();
		expect(refusedByPool("team", { ...plan, ...more })).toMatchObject({
			error: { code: "INVALID_INPUT", message: expect.stringContaining(words), reason: "pool" },
		});
	});
});
