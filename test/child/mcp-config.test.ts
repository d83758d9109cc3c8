import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { namespaceOf, readMcpConfig, serverOf } from "../../src/child/mcp-config.ts";

/** Both files as they are, or a value to write as JSON. */
function read(files: { user?: unknown; project?: unknown }, projectTrusted = true) {
	const folder = mkdtempSync(join(tmpdir(), "pi-geon-mcp-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const where = { agentDir: join(folder, "agent"), cwd: join(folder, "project"), projectTrusted };
	const write = (dir: string, value: unknown) => {
		mkdirSync(dir, { recursive: true });
		if (value === undefined) return;
		writeFileSync(join(dir, "mcp.json"), typeof value === "string" ? value : JSON.stringify({ mcpServers: value }));
	};
	write(where.agentDir, files.user);
	write(join(where.cwd, ".pi"), files.project);
	const { servers, errors } = readMcpConfig(where);
	return { servers: Object.fromEntries(servers.map(({ name, config }) => [name, config])), errors };
}

test("a project's server replaces the user's of that name, and is read only if the project is trusted", () => {
	const files = {
		user: { a: { command: "user" } },
		project: { a: { command: "project" }, b: { url: "http://b/mcp" } },
	};
	expect(read(files).servers).toEqual({ a: { command: "project" }, b: { url: "http://b/mcp" } });
	expect(read(files, false).servers).toEqual({ a: { command: "user" } });
});

test("a project's entry without a program changes what the user's server offers, and can switch it off", () => {
	const user = { a: { command: "user", env: { KEY: "1" } }, b: { command: "b" } };
	const { servers, errors } = read({ user, project: { a: { exposure: "direct" }, b: { enabled: false } } });
	expect(servers).toEqual({ a: { command: "user", env: { KEY: "1" }, exposure: "direct" } });
	expect(errors).toEqual([]);
});

test("a wrong entry is reported and left out, the others are read", () => {
	const user = {
		good: { command: "x" },
		"a b": { command: "x" },
		empty: {},
		legacy: { type: "sse", url: "http://x" },
		ftp: { url: "ftp://x" },
		"good-": { command: "x" },
		good_: { command: "x" },
	};
	const { servers, errors } = read({ user, project: { leak: { url: "https://x/mcp", auth: { provider: "p" } } } });
	expect(Object.keys(servers)).toEqual(["good", "good-"]);
	expect(errors.map((error) => /server "([^"]*)"/.exec(error)?.[1])).toEqual([
		"a b",
		"empty",
		"legacy",
		"ftp",
		"good_",
		"leak",
	]);
});

test("a file that is not JSON, or missing, does not make it fail", () => {
	expect(read({ user: "{" })).toMatchObject({ servers: {}, errors: [expect.stringContaining("mcp.json")] });
	expect(read({})).toEqual({ servers: {}, errors: [] });
});

test("a tool's server is the one with the longest name that fits", () => {
	const servers = ["git", "git-hub", "git__x"].map((name) => ({ name }));
	expect(namespaceOf("git-hub")).toBe("mcp__git_hub");
	expect(serverOf("mcp__git_hub__search", servers)?.name).toBe("git-hub");
	expect(serverOf("mcp__git__status", servers)?.name).toBe("git");
	expect(serverOf("mcp__git__x__status", servers)?.name).toBe("git__x");
	expect(serverOf("mcp__git_hub", servers)?.name).toBe("git-hub");
	expect(serverOf("mcp__gitlab__x", servers)).toBeUndefined();
});
