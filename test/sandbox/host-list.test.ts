import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hostListTrouble, probeRing } from "../../src/sandbox/probe.ts";
import { type RingProxy, startProxy } from "../../src/sandbox/proxy.ts";
import { runInRing } from "../../src/sandbox/run-in-ring.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { useBundled } from "../helpers/bundled.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { isShare } from "../helpers/share.ts";
import { useHome } from "../helpers/use-home.ts";
import { said, useRing } from "./a-ring.ts";

const openRing = useRing();
const openHome = useHome();
const mcpServer = useBundled(join(repositoryRoot, "test", "children", "mcp-server.ts"));
const servers: Server[] = [];
let http = "";
let https = "";
/** What the servers outside were asked for. */
const asked: string[] = [];

beforeAll(async () => {
	const plain = createPlain((request, response) => {
		asked.push(`${request.headers.host}${request.url}`);
		const [, elsewhere] = /^\/to\/(.+)$/.exec(request.url ?? "") ?? [];
		if (elsewhere) response.writeHead(302, { location: `http://${elsewhere}:${request.socket.localPort}/` });
		response.end("plain outside");
	});
	const fixture = (name: string) => readFileSync(join(repositoryRoot, "test", "web", "fixtures", name));
	const secret = { key: fixture("site.example.key"), cert: fixture("site.example.crt") };
	const secure = createSecure(secret, (_request, response) => response.end("secure outside"));
	for (const server of [plain, secure]) {
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		servers.push(server);
	}
	[http, https] = servers.map((server) => String((server.address() as AddressInfo).port)) as [string, string];
});
afterAll(() => {
	for (const server of servers) server.close();
});

const proxies: RingProxy[] = [];
afterEach(async () => {
	asked.length = 0;
	for (const proxy of proxies.splice(0)) await proxy.close();
});

async function ringTo(list: readonly string[]) {
	const opened = await openRing({ network: "allowlist" });
	proxies.push(startProxy(opened.ring, list));
	return opened;
}

/** Every machine has one name that leads to itself. For this one programs would leave the proxy out. */
const NAME = "localhost";
const BY_PROXY = "export no_proxy= NO_PROXY=; ";
const curl = (address: string) => `${BY_PROXY}curl -sS --insecure --max-time 20 ${address}`;

describe("processes of a ring with a list of hosts", () => {
	test("reach a listed address by HTTP and HTTPS, through the proxy alone", async () => {
		const { ring } = await ringTo(["127.0.0.1"]);
		expect(await said(ring, curl(`http://127.0.0.1:${http}/a`))).toEqual({
			output: "plain outside",
			exitCode: 0,
		});
		expect(await said(ring, curl(`https://127.0.0.1:${https}/`))).toEqual({
			output: "secure outside",
			exitCode: 0,
		});
		expect((await said(ring, `curl -sS http://127.0.0.1:${http}/direct`)).exitCode).toBe(7);
		expect((await said(ring, curl(`--noproxy '*' http://127.0.0.1:${http}/direct`))).exitCode).toBe(7);
		expect(asked).toEqual([`127.0.0.1:${http}/a`]);
	});

	test("reach a listed name, whose private address is listed too, in curl and in Node", async () => {
		const { ring } = await ringTo(["localhost", "127.0.0.1", "::1"]);
		expect((await said(ring, curl(`http://${NAME}:${http}/a`))).output).toBe("plain outside");
		expect((await said(ring, curl(`https://${NAME}:${https}/a`))).output).toBe("secure outside");
		const node = `fetch("http://${NAME}:${http}/b").then((answer) => answer.text()).then(console.log)`;
		expect((await said(ring, `${BY_PROXY}${process.execPath} -e '${node}'`)).output).toContain("plain outside");
		expect(ring.refused).toEqual([]);
	});

	test("do not reach a listed name that leads to this machine, and say so", async () => {
		const { ring } = await ringTo(["localhost"]);
		const { output, exitCode } = await said(ring, curl(`--fail http://${NAME}:${http}/a`));
		expect(exitCode).not.toBe(0);
		expect(output).toMatch(
			/\[Commands of this subagent may not reach localhost \(.*127\.0\.0\.1.*\)\. .*subagents\.sandbox\.network/,
		);
		expect((await said(ring, curl(`https://${NAME}:${https}/a`))).exitCode).not.toBe(0);
		expect(asked).toEqual([]);
		expect(ring.denials).toBe(2);
	});

	test.each([
		["another name", (port: string) => `http://other.example:${port}/`],
		["a name that only ends like a listed one", (port: string) => `http://notlisted.example:${port}/`],
		["the name above", (port: string) => `http://example:${port}/`],
		["an address", (port: string) => `http://127.0.0.1:${port}/`],
		["an address in other words", (port: string) => `http://0x7f.1:${port}/`],
		["an address as a number", (port: string) => `http://2130706433:${port}/`],
		["an IPv6 address", (port: string) => `'http://[::1]:${port}/'`],
		["an IPv4 address as one of IPv6", (port: string) => `'http://[::ffff:127.0.0.1]:${port}/'`],
		["an address with a dot at its end", (port: string) => `http://127.0.0.1.:${port}/`],
		["an address behind a listed name as a user", (port: string) => `http://listed.example@127.0.0.1:${port}/`],
		["an address under a listed name", (port: string) => `-H 'Host: listed.example' http://127.0.0.1:${port}/`],
		["the address of clouds", () => "http://169.254.169.254/latest/meta-data/"],
	])("do not reach %s", async (_name, address) => {
		const { ring } = await ringTo(["listed.example", "*.listed.example"]);
		const plain = await said(ring, curl(`--fail ${address(http)}`));
		const tunnel = await said(ring, curl(`--proxytunnel ${address(http)}`));
		expect([plain.exitCode, tunnel.exitCode]).toEqual([22, 56]);
		expect(tunnel.output).toContain("403");
		expect(ring.refused).toHaveLength(2);
		expect(asked).toEqual([]);
	});

	test("do not reach what a listed host sends them to", async () => {
		const { ring } = await ringTo(["127.0.0.1"]);
		const { exitCode } = await said(ring, curl(`--fail --location http://127.0.0.1:${http}/to/${NAME}`));
		expect(exitCode).toBe(22);
		expect([asked, ring.refused]).toEqual([[`127.0.0.1:${http}/to/${NAME}`], [NAME]]);
	});

	test("have no unix sockets, do not see the proxy's, and no other way out", async () => {
		const { ring } = await ringTo(["127.0.0.1"]);
		const socket = join(ring.setup.scratch, "proxy.sock");
		expect(existsSync(socket)).toBe(true);
		const connect = `require("node:net").connect("${socket}").on("error", (error) => console.log(error.code))`;
		expect((await said(ring, `${process.execPath} -e '${connect}'`)).output).toMatch(/EPERM|EACCES|ENOENT/);
		expect((await said(ring, "cat /proc/net/dev")).output.match(/^ *\w+:/gm)).toEqual([expect.stringContaining("lo:")]);
		expect((await said(ring, "unshare -Ur true")).exitCode).not.toBe(0);
		expect((await said(ring, "ps -e")).output).not.toContain("node");
	});

	test("end with their command, and pass on input, output and exit code", async () => {
		const { ring } = await ringTo([]);
		expect((await said(ring, "exit 7")).exitCode).toBe(7);
		expect((await said(ring, "kill -9 $$")).exitCode).toBe(137);
		const { stdout } = await runInRing(ring, ["/bin/cat"], { input: "what was put in" });
		expect(stdout.toString()).toBe("what was put in");
		const controller = new AbortController();
		const running = runInRing(ring, ["/bin/sh", "-c", "sleep 600"], { signal: controller.signal });
		controller.abort();
		await expect(running).rejects.toThrow();
	});
});

test("this machine can, and so says the probe", async () => {
	const probe = await probeRing();
	if (!probe.can) throw new Error(probe.why);
	expect(await hostListTrouble(probe.abilities)).toBeUndefined();
});

const ways = [
	["in the checkout", "shared", "policy"],
	["in a tree, with its host in a ring too,", "worktree", "kernel"],
];
test.each(isShare ? ways.slice(1) : ways)(
	"a run with a list that works %s says so in its result, and leaves nothing behind",
	async (_name, isolation, host) => {
		const home = await openHome({
			pi: ANY_PI,
			git: true,
			config: { subagents: { allowWrite: true, sandbox: { network: ["localhost", "127.0.0.1", "::1"] } } },
			agents: {
				"worker.md": agentNamed(
					"worker",
					"You work.",
					`tools: bash\nisolation: ${isolation}\nnetwork: [localhost, 127.0.0.1]`,
				),
			},
			script: dispatch({
				parent: [delegateTo("worker", "Work."), text("Done.")],
				child: [
					toolCall("bash", { command: curl(`http://${NAME}:${http}/a`) }),
					toolCall("bash", { command: curl("https://example.com/") }),
					finalize("Tried."),
				],
			}),
		});
		const run = await promptPi(home, "Go.", { version: ANY_PI });
		expect(delegations(run)[0]?.results[0]?.sandbox).toMatchObject({
			enforced: "kernel",
			network: "allowlist",
			denials: 1,
			host,
		});
		const results =
			home.model.requests.findLast(({ isChild }) => isChild)?.toolResults.map((result) => result.text) ?? [];
		expect(results[0]).toContain("plain outside");
		expect(results[1]).toContain("may not reach example.com");
	},
);

longTest("an MCP server, which pi starts, reaches the hosts of the list too", async () => {
	const code = `
		const answer = await fetch("http://${NAME}:${"PORT"}/from-a-server").then((it) => it.text(), (error) => error.message);
		// The parent has started this server too, outside of any ring.
		const { HTTP_PROXY, PI_SUBAGENT_CHILD } = process.env;
		if (PI_SUBAGENT_CHILD) (await import("node:fs")).writeFileSync("tried", [HTTP_PROXY, answer].join(" "));
	`;
	const home = await openHome({
		pi: "1.5.0",
		config: { subagents: { allowWrite: true, sandbox: { network: ["localhost", "127.0.0.1", "::1"] } } },
		agents: { "caller.md": agentNamed("caller", "You call.", "tools: mcp__tester__echo") },
		script: dispatch({
			parent: [delegateTo("caller", "Call."), text("Done.")],
			child: [toolCall("mcp__tester__echo", { text: "hello" }), finalize("Called.")],
		}),
	});
	const server = join(home.project, "server.mjs");
	const wellBehaved = readFileSync(mcpServer(), "utf8");
	writeFileSync(server, `${code.replace("PORT", http)}\n${wellBehaved}`);
	const tester = { command: process.execPath, args: [server], env: { NO_PROXY: "", no_proxy: "" } };
	writeFileSync(join(home.agentDir, "mcp.json"), JSON.stringify({ mcpServers: { tester } }));
	const run = await promptPi(home, "Go.", { version: "1.5.0" });
	expect(delegations(run)[0]?.results[0]).toMatchObject({ exitCode: 0, sandbox: { network: "allowlist" } });
	expect(delegations(run)[0]?.results[0]?.warnings ?? []).toEqual([]);
	expect(readFileSync(join(home.project, "tried"), "utf8")).toBe("http://127.0.0.1:3128 plain outside");
});
