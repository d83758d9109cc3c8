import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLogs } from "../../src/log/read-logs.ts";
import { processStart } from "../../src/processes/process-start.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { useBundled } from "../helpers/bundled.ts";
import { hostPids, killHosts, killHostsAtWork } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import { startMcpServer } from "../helpers/mcp-http.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { type Home, piVersions, promptPi, runPi } from "../helpers/pi.ts";
import { type PiVersion, repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { interruptions } from "./interrupted.ts";
import { eventually } from "./ledger-of.ts";

const openHome = useHome();
const server = useBundled(join(repositoryRoot, "test", "children", "mcp-server.ts"));
const PI_WITH_MCP: PiVersion = "1.5.0";

/** A server over stdio, which leaves a trace of each of its processes. */
const stdio = (home: Home, more: object = {}, ...args: string[]) => ({
	command: process.execPath,
	args: [server(), ...args],
	env: { MCP_TRACES: join(home.scratch, "traces") },
	...more,
});

function configure(home: Home, mcpServers: object): void {
	mkdirSync(join(home.scratch, "traces"), { recursive: true });
	writeFileSync(join(home.agentDir, "mcp.json"), JSON.stringify({ mcpServers }));
}

const startedServers = (home: Home): number[] => readdirSync(join(home.scratch, "traces")).map(Number);
const isAlive = (pid: number): boolean => processStart(pid) !== undefined;

/** Servers tell their process ids here, and in a ring these are others. test/sandbox/servers.test.ts has one in a ring. */
const WITHOUT_RINGS = { subagents: { allowWrite: true, sandbox: { mode: "off" } } };

/** A home with one agent, which has these tools, and whose model says this. */
const homeWith = (tools: string, child: Script | readonly Reply[], env: Record<string, string> = {}) =>
	openHome({
		env,
		agents: { "caller.md": agentNamed("caller", "You call tools.", `tools: ${tools}`) },
		config: WITHOUT_RINGS,
		script: dispatch({ parent: [delegateTo("caller", "Call it."), text("Done.")], child }),
	});

const call = (tool: string) => toolCall(`mcp__tester__${tool}`, { text: "hello" });
const thenFinalize = (tool: string): readonly Reply[] => [call(tool), finalize("Called.")];

const childRequests = (home: Home) => home.model.requests.filter(({ isChild }) => isChild);
const toolsOfChild = (home: Home) => [...(childRequests(home)[0]?.tools ?? [])].sort();
const answerToChild = (home: Home) => JSON.stringify(childRequests(home)[1]?.lastMessage);

const EXPOSURES = [
	["the default exposure", {}],
	["deferred exposure", { exposure: "deferred" }],
	["direct exposure", { exposure: "direct" }],
] as const;

describe.each(EXPOSURES)("an MCP server with %s", (name, exposure) => {
	// On a pi without MCP nobody reads how a server is exposed: once is enough.
	const versions = piVersions.filter((version) => version === PI_WITH_MCP || name === "the default exposure");
	test.each(versions)("is inherited by a child that inherits its parent's tools, on pi %s", async (version) => {
		const home = await openHome({
			// The server of the test writes down who connects, which no ring lets it.
			config: { subagents: { allowWrite: true, sandbox: { mode: "off" } } },
			script: dispatch({
				parent: ({ lastMessage, lastUserText }) =>
					lastMessage?.role !== "tool" && lastUserText === "Go."
						? toolCall("sessions_spawn", { task: "Look." })
						: text("Done."),
				child: () => finalize("Seen."),
			}),
		});
		configure(home, { tester: stdio(home, exposure) });
		const run = await promptPi(home, "Go.", { version });
		expect(childRequests(home)).toHaveLength(1);
		const told = home.model.requests.some(({ lastUserText }) => lastUserText.includes("Status: success"));
		expect(told, run.stderr).toBe(true);
		// However the parent reaches them, and although its model has delegated before the server was ready.
		const inherited = toolsOfChild(home).filter((name) => name.startsWith("mcp__"));
		const all = ["die", "echo", "flood_it", "stall"].map((name) => `mcp__tester__${name}`);
		expect(inherited).toEqual(version === PI_WITH_MCP ? all : []);
	});

	test("gives a child the one tool that it is granted, and ends with it", async () => {
		const staying = { PI_GEON_HOST_IDLE_MS: "600000" };
		const home = await homeWith("read, mcp__tester__echo", thenFinalize("echo"), staying);
		configure(home, { tester: stdio(home, exposure), other: stdio(home, exposure, "dies") });
		const run = await promptPi(home, "Go.", { version: PI_WITH_MCP });
		expect(delegations(run)[0], run.stderr).toMatchObject({ finalized: { status: "SUCCESS" } });
		expect(delegations(run)[0]?.results[0]).not.toHaveProperty("warnings");
		expect(toolsOfChild(home)).toEqual(["mcp__tester__echo", "read", "subagent_finalize"]);
		expect(answerToChild(home)).toContain("echo: hello");
		// Two of the parent, and one of the child: it has not connected to the server that none of its tools is of.
		expect(startedServers(home)).toHaveLength(3);
		// Its host is still there. Of the parent's it is only known that they end after it.
		await eventually(() => {
			expect(hostPids(home)).toHaveLength(1);
			expect(startedServers(home).filter(isAlive)).toEqual([]);
		});
		killHosts(home, "SIGTERM");
	});
});

describe("a child with MCP tools", () => {
	longTest("has tools by pi's names for them; what the user has hidden stays hidden", async () => {
		const tools = "read, mcp__tester__flood_it, mcp__tester__die, mcp__tester__stall";
		const home = await homeWith(tools, [finalize("Seen.")]);
		configure(home, { tester: stdio(home, { toolExposure: { "sta*": "hidden" } }) });
		await promptPi(home, "Go.", { version: PI_WITH_MCP });
		expect(toolsOfChild(home)).toEqual(["mcp__tester__die", "mcp__tester__flood_it", "read", "subagent_finalize"]);
	});

	longTest("calls a server over HTTP", async () => {
		await using server = await startMcpServer();
		const home = await homeWith("read, mcp__tester__echo", thenFinalize("echo"));
		configure(home, { tester: { url: server.url, headers: { Authorization: "Bearer test" } } });
		const run = await promptPi(home, "Go.", { version: PI_WITH_MCP });
		expect(delegations(run)[0], run.stderr).toMatchObject({ finalized: { status: "SUCCESS" } });
		expect(answerToChild(home)).toContain("echo: hello");
	});

	longTest.each([
		[
			"hangs",
			/^The MCP server tester was not ready within 10 s\. Check its entry in mcp\.json .*\. Left out: mcp__tester__echo\.$/,
		],
		[
			"dies",
			/^The MCP server tester cannot be used\. Check its entry in mcp\.json .* "failed: [^"]*"\. Left out: mcp__tester__echo\.$/,
		],
	])("whose server %s at its start works without it, with a warning that names it", async (mode, warning) => {
		const home = await homeWith("read, mcp__tester__echo", [finalize("Did without.")]);
		configure(home, { tester: stdio(home, {}, mode) });
		const run = await promptPi(home, "Go.", { version: PI_WITH_MCP });
		expect(delegations(run)[0], run.stderr).toMatchObject({
			finalized: { status: "SUCCESS" },
			results: [{ warnings: [expect.stringMatching(warning)] }],
		});
		expect(toolsOfChild(home)).toEqual(["read", "subagent_finalize"]);
		await eventually(() => expect(startedServers(home).filter(isAlive)).toEqual([]));
		// Also where it is found if the host dies before the run ends.
		const state = join(home.agentDir, "pi-geon");
		const logged = readLogs({ parentLog: join(state, "parent.log"), hosts: join(state, "hosts") });
		expect(logged.filter(({ message }) => message === "the child goes without something")).toHaveLength(1);
	});

	longTest(
		"whose server dies in a call is told so, one whose server floods gets what fits; one has codemode if its file names it",
		async () => {
			const tools = {
				dying: "read, mcp__tester__die",
				flooded: "read, mcp__tester__flood_it",
				scripting: "read, codemode, tool_search, mcp__tester__echo",
			};
			const agents = Object.entries(tools).map(([name, list]) => [
				`${name}.md`,
				agentNamed(name, "You call tools.", `tools: ${list}`),
			]);
			const calls: Record<string, string> = { dying: "die", flooded: "flood_it" };
			const home = await openHome({
				agents: Object.fromEntries(agents),
				config: WITHOUT_RINGS,
				script: dispatch({
					parent: [Object.keys(tools).map((name) => delegateTo(name, name)), text("Done.")],
					child: ({ turn, firstUserText }) => {
						const tool = calls[firstUserText];
						return turn === 0 && tool !== undefined ? call(tool) : finalize("Called.");
					},
				}),
			});
			configure(home, { tester: stdio(home) });
			const run = await promptPi(home, "Go.", { version: PI_WITH_MCP });
			const called = { finalized: { status: "SUCCESS", result: "Called." } };
			expect(delegations(run), run.stderr).toMatchObject([called, called, called]);
			const asked = (name: string) => childRequests(home).filter(({ firstUserText }) => firstUserText === name);
			expect(JSON.stringify(asked("dying")[1]?.lastMessage)).toMatch(/clos/i);
			const flood = JSON.stringify(asked("flooded")[1]?.lastMessage);
			expect(flood).toContain("truncated");
			expect(flood.length).toBeLessThan(40_000);
			expect([...(asked("scripting")[0]?.tools ?? [])].sort()).toEqual([
				...["codemode", "mcp__tester__echo", "read", "subagent_finalize", "tool_search"],
			]);
		},
	);

	longTest("and no other tool is not started if the server is gone", async () => {
		const home = await homeWith("mcp__tester__echo", []);
		configure(home, { tester: stdio(home, {}, "dies") });
		const run = await promptPi(home, "Go.", { version: PI_WITH_MCP });
		expect(delegations(run)[0]).toMatchObject({
			error: { code: "SUBAGENT_FAILED", reason: "setup", message: expect.stringContaining("mcp__tester__echo") },
		});
		expect(childRequests(home)).toEqual([]);
	});

	longTest(
		"goes on after its host was killed, with a server of its own, and the first one is gone",
		{
			timeout: 120_000,
		},
		async () => {
			const home = await homeWith("read, mcp__tester__echo, mcp__tester__stall", (request) => {
				if (interruptions(request) > 0)
					return request.lastMessage?.role === "tool" ? finalize("Called.") : call("echo");
				return [text("I think"), hang()];
			});
			configure(home, { tester: stdio(home) });
			const running = promptPi(home, "Go.", { version: PI_WITH_MCP, timeoutMs: 110_000 });
			await home.model.waitFor(({ isChild }) => isChild);
			killHostsAtWork(home);
			expect(delegations(await running)).toMatchObject([{ results: [{ exitCode: 0, attempts: 2 }] }]);
			await eventually(() => expect(startedServers(home).filter(isAlive)).toEqual([]));
		},
	);

	test("does not start a server of a project that is not trusted", async () => {
		const home = await homeWith("read, mcp__evil__echo", [finalize("Did without.")]);
		configure(home, {});
		mkdirSync(join(home.project, ".pi"));
		writeFileSync(join(home.project, ".pi", "mcp.json"), JSON.stringify({ mcpServers: { evil: stdio(home) } }));
		const run = await promptPi(home, "Go.", { version: PI_WITH_MCP, args: ["--no-approve"] });
		expect(delegations(run)[0], run.stderr).toMatchObject({ finalized: { status: "SUCCESS" } });
		expect(startedServers(home)).toEqual([]);
		const trusted = await promptPi(home, "Go.", { version: PI_WITH_MCP, args: ["--approve"] });
		expect(delegations(trusted)[0], trusted.stderr).toMatchObject({ finalized: { status: "SUCCESS" } });
		expect(startedServers(home).length).toBeGreaterThan(0);
	});

	longTest("can be granted what the doctor says that a server has", async () => {
		const home = await homeWith("read, mcp__tester__echo", []);
		configure(home, { tester: stdio(home), gone: stdio(home, {}, "dies"), wrong: {} });
		const run = await runPi(home, [...home.extensionArgs, "-p", "/toolkit doctor"], { version: PI_WITH_MCP });
		const report = run.stdout.replace(/\s+/g, " ");
		expect(report).toContain("ok mcp: The MCP server tester has 4 tools that subagents can have");
		expect(report).toContain("warn mcp: The MCP server gone has not connected");
		expect(report).toMatch(/warn mcp: .*mcp\.json: server "wrong" needs "command" or "url"/);
		expect(report).not.toContain("caller names");
	});

	test("on a pi without MCP, an mcp.json changes nothing", async () => {
		const home = await homeWith("read, mcp__tester__echo", [finalize("Did without.")]);
		configure(home, { tester: stdio(home) });
		const run = await promptPi(home, "Go.", { version: "0.87.1" });
		expect(delegations(run)[0], run.stderr).toMatchObject({ finalized: { status: "SUCCESS" } });
		expect(toolsOfChild(home)).toEqual(["read", "subagent_finalize"]);
		expect(startedServers(home)).toEqual([]);
	});
});
