import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { childSettings } from "../../src/child/child-settings.ts";
import { HOST_RING } from "../../src/sandbox/outer-ring.ts";

let folder = "";
beforeAll(() => {
	vi.stubEnv(HOST_RING, "kernel");
	folder = mkdtempSync(join(tmpdir(), "pg-settings-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("in the ring of a host, a project's settings count although they cannot be locked there", () => {
	const [project, agentDir] = [join(folder, "project"), join(folder, "agent")];
	mkdirSync(join(project, ".pi"), { recursive: true });
	mkdirSync(agentDir);
	writeFileSync(join(project, ".pi", "settings.json"), JSON.stringify({ shellCommandPrefix: "set -e" }));
	// As where the folder is read-only: pi cannot make its lock.
	mkdirSync(join(project, ".pi", "settings.json.lock"));
	const settings = childSettings(project, agentDir, { projectTrusted: true });
	expect(settings.getShellCommandPrefix()).toBe("set -e");
	expect(childSettings(project, agentDir, { projectTrusted: false }).getShellCommandPrefix()).toBeUndefined();
});

test("in the ring of a host, the user's file is locked once for all projects, and read again when it changed", () => {
	const [first, second, agentDir] = ["first", "second", "users"].map((name) => join(folder, name)) as [
		string,
		string,
		string,
	];
	for (const each of [first, second, agentDir]) mkdirSync(each);
	const file = join(agentDir, "settings.json");
	const prefixIn = (project: string) =>
		childSettings(project, agentDir, { projectTrusted: false }).getShellCommandPrefix();
	writeFileSync(file, JSON.stringify({ shellCommandPrefix: "one" }));
	expect(prefixIn(first)).toBe("one");
	expect(prefixIn(first)).toBe("one");
	// Held by another process: who wants it waits, and gives up.
	mkdirSync(`${file}.lock`);
	expect(prefixIn(second)).toBe("one");
	rmSync(`${file}.lock`, { recursive: true });
	writeFileSync(file, JSON.stringify({ shellCommandPrefix: "another" }));
	expect(prefixIn(second)).toBe("another");
});
