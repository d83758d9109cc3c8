import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxInWords } from "../../src/run/sandbox-report.ts";
import { denialsIn } from "../../src/sandbox/denials.ts";
import { RingedFiles } from "../../src/sandbox/ringed-files.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { said, useRing } from "./a-ring.ts";

const openRing = useRing();
const openHome = useHome();

const NETWORK = /\[The network is off .*subagents\.sandbox\.network in pi-geon\.json.*\]/;

describe("a command that fails in a ring", () => {
	const node = JSON.stringify(process.execPath);
	test.each([
		["curl", "curl -sS https://example.com/"],
		["git", "git ls-remote https://example.com/a.git"],
		[
			"node",
			`${node} -e 'fetch("https://example.com/").catch((error) => { console.error(error.cause); process.exit(1); })'`,
		],
		["an address", "curl -sS http://192.0.2.1/"],
	])("for want of the network (%s) is followed by a line that names the setting", async (_name, command) => {
		const { ring } = await openRing();
		expect((await said(ring, command)).output).toMatch(NETWORK);
		expect(ring.denials).toBe(1);
	});

	test("because it may not write there is followed by a line that says what it may write", async () => {
		const { ring, tree } = await openRing();
		const { output, exitCode } = await said(ring, "touch /usr/file");
		expect(exitCode).toBe(1);
		expect(output).toContain(`[This subagent may write below /tmp, ${tree}, and nowhere else.]`);
		expect(ring.denials).toBe(1);
	});

	test.each([
		["succeeds, whatever it prints", "echo 'Could not resolve host: a; Read-only file system'"],
		["fails for another reason", "ls /nowhere"],
		["finds nothing on its own loopback", "curl -sS http://127.0.0.1:9/ || curl -sS http://localhost:9/"],
	])("and one that %s is not", async (_name, command) => {
		const { ring } = await openRing();
		expect((await said(ring, command)).output).not.toContain("[");
		expect(ring.denials).toBe(0);
	});

	test("is told nothing about the network if that is on", async () => {
		const { ring } = await openRing({ network: "on" });
		const { output } = await said(ring, "echo 'Could not resolve host: a'; exit 1");
		expect(output).not.toContain("[");
	});
});

test("a compiler that keeps a cache works without the network", async () => {
	const { ring, tree } = await openRing();
	writeFileSync(join(tree, "go.mod"), "module a\n");
	writeFileSync(join(tree, "main.go"), 'package main\n\nfunc main() { println("compiled") }\n');
	expect(await said(ring, "go build -o main . && ./main")).toEqual({ output: "compiled\n", exitCode: 0 });
});

test("a pipe is not written, since its process would wait for a reader until the host exits", async () => {
	const { ring, tree } = await openRing();
	await said(ring, "mkfifo pipe");
	const files = new RingedFiles(() => ring);
	await expect(files.write(join(tree, "pipe"), "text")).rejects.toThrow(/pipe is a pipe/);
});

test("a file that may not be written says what may be, and counts", async () => {
	const { ring, tree } = await openRing();
	const files = new RingedFiles(() => ring);
	await files.write(join(tree, "a"), "text");
	expect(ring.denials).toBe(0);
	await expect(files.write("/usr/a", "text")).rejects.toThrow(/Read-only file system\n\[This subagent may write/);
	expect(ring.denials).toBe(1);
});

test.each([
	"curl: (6) Could not resolve host: example.com",
	"ping: example.com: Temporary failure in name resolution",
	"ssh: connect to host 10.0.0.1 port 22: Network is unreachable",
	"npm error code EAI_AGAIN",
	"Error: getaddrinfo ENOTFOUND example.com",
	"dial tcp: lookup proxy.golang.org: no such host",
	"error: failed to download from `https://static.crates.io`",
])("the line is there after: %s", async (line) => {
	const { ring } = await openRing();
	expect(denialsIn(line, ring.setup)).toEqual([expect.stringMatching(NETWORK)]);
});

test("a result says how many commands and writes were denied something", async () => {
	const home = await openHome({
		pi: ANY_PI,
		config: { subagents: { allowWrite: true, sandbox: { network: "off" } } },
		agents: { "worker.md": agentNamed("worker", "You work.", "tools: bash, write") },
		script: dispatch({
			parent: [delegateTo("worker", "Work."), text("Done.")],
			child: [
				toolCall("bash", { command: "curl -sS https://example.com/" }),
				toolCall("bash", { command: "true" }),
				toolCall("write", { path: "/usr/denied", content: "x" }),
				finalize("Tried."),
			],
		}),
	});
	const run = await promptPi(home, "Go.", { version: ANY_PI });
	const sandbox = delegations(run)[0]?.results[0]?.sandbox;
	expect(sandbox).toMatchObject({ enforced: "kernel", denials: 2 });
	expect(sandbox && sandboxInWords(sandbox)).toMatch(/; denied 2 times$/);
});
