import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { ANY_PI, type PiEvent, promptPi, somePi, startRpc } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();
const script = (agent: string) =>
	dispatch({
		parent: [delegateTo(agent, "Say who you are."), text("Done.")],
		child: ({ systemText }) => finalize(/I am [a-z ]+/.exec(systemText)?.[0] ?? "nobody in particular"),
	});
const result = async (...args: Parameters<typeof promptPi>) => {
	const run = await promptPi(...args);
	return delegations(run)[0]?.finalized?.result ?? delegations(run)[0]?.error ?? run.stderr;
};

test("an agent of the user's is found, and wins over the built-in of its name", async () => {
	const agents = { "mine.md": agentNamed("explorer", "I am the explorer of the user") };
	expect(await result(await openHome({ script: script("explorer"), agents }), "Go.")).toBe(
		"I am the explorer of the user",
	);
});

longTest("an agent of a trusted project's wins over the user's", async () => {
	const home = await openHome({
		script: script("explorer"),
		agents: { "mine.md": agentNamed("explorer", "I am the explorer of the user") },
		files: { ".pi/agents/explorer.md": agentNamed("explorer", "I am the explorer of the project") },
	});
	expect(await result(home, "Go.", { args: ["--approve"] })).toBe("I am the explorer of the project");
});

test("an agent of an untrusted project is refused where no user can be asked", async () => {
	const home = await openHome({
		script: script("local"),
		files: { ".pi/agents/local.md": agentNamed("local", "I am local") },
	});
	expect(await result(home, "Go.")).toMatchObject({
		code: "SUBAGENT_DISABLED",
		reason: "not_approved",
		message: expect.stringContaining(join(".pi", "agents", "local.md")),
	});
	expect(JSON.stringify(home.model.requests[0]?.raw)).not.toContain("I am local");
});

const isAsked = (event: PiEvent) => event.type === "extension_ui_request" && event.method === "select";
const openLocal = () =>
	openHome({
		script: dispatch({
			parent: ({ lastMessage }) => (lastMessage?.role === "tool" ? text("Done.") : delegateTo("local", "First.")),
			child: [finalize("I am local")],
		}),
		files: { ".pi/agents/local.md": agentNamed("local", "I am local") },
	});

describe.each(somePi(import.meta.url))("an unanswered question about a project's agent, on pi %s", (version) => {
	longTest("does not hold up the questions of the next session", async () => {
		const rpc = startRpc(await openLocal(), { version });
		await rpc.prompt("Go.");
		await rpc.waitForEvent(isAsked);
		await rpc.send({ type: "new_session" });
		const before = rpc.events.length;
		await rpc.prompt("Go.");
		await rpc.waitForEvent(isAsked, { from: before });
	});
});

describe("an unanswered question about a project's agent, on any pi", () => {
	const version = ANY_PI;

	longTest("is over with the turn, and asked again in the next", async () => {
		const rpc = startRpc(await openLocal(), { version });
		await rpc.prompt("Go.");
		await rpc.waitForEvent(isAsked);
		await rpc.send({ type: "abort" });
		await rpc.waitForEvent((event) => event.type === "agent_settled");
		const before = rpc.events.length;
		await rpc.prompt("Go.");
		await rpc.waitForEvent(isAsked, { from: before });
	});
});

test("where there is a user, the user is asked once, with the file named", async () => {
	const home = await openHome({
		script: dispatch({
			parent: [delegateTo("local", "First."), delegateTo("local", "Second."), text("Done.")],
			child: [finalize("I am local")],
		}),
		files: { ".pi/agents/local.md": agentNamed("local", "I am local") },
	});
	const rpc = startRpc(home);
	await rpc.prompt("Go.");
	const asked = await rpc.waitForEvent((event) => event.type === "extension_ui_request" && event.method === "select");
	expect(asked.title).toContain(join(".pi", "agents", "local.md"));
	const [, yes] = asked.options as string[];
	rpc.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: asked.id, value: yes })}\n`);
	await rpc.waitForEvent((event) => event.type === "agent_settled");
	expect(rpc.events.filter((event) => event.type === "extension_ui_request" && event.method === "select")).toHaveLength(
		1,
	);
	expect(home.model.requests.filter((request) => request.isChild)).toHaveLength(2);
});

longTest("of many problems, the errors come first, and then where the rest is shown", async () => {
	const harmless = ["a", "b", "c", "d", "e", "f"].map((name) => [`${name}.md`, agentNamed(name, "Do.", "banana: 1")]);
	const home = await openHome({
		script: script("explorer"),
		agents: { ...Object.fromEntries(harmless), "z.md": "---\nname: [oops\n---\n" },
	});
	const told = (await promptPi(home, "Go.")).stderr.split("\n").filter((line) => line.startsWith("pi-geon: "));
	expect(told.slice(0, 6)).toEqual([
		expect.stringMatching(/^pi-geon: error: .*z\.md:2:/),
		...["a", "b", "c", "d"].map((name) => expect.stringMatching(new RegExp(`^pi-geon: warning: .*${name}\\.md`))),
		"pi-geon: …and 2 more problems in agent files and pi-geon.json; /toolkit doctor shows all",
	]);
});

longTest(
	"broken files and dangling links hide nothing, and a repository's own agents/ folder changes nothing",
	async () => {
		const home = await openHome({
			script: script("custom"),
			agents: {
				"broken.md": "---\nname: [oops\n---\n",
				"both.md": agentNamed("both", "I am both", "tools: read\ndenied_tools: bash"),
				"custom.md": agentNamed("custom", "I am custom"),
			},
			files: { "agents/explorer.md": agentNamed("explorer", "I am an impostor") },
		});
		mkdirSync(join(home.agentDir, "agents"), { recursive: true });
		symlinkSync(join(home.scratch, "nowhere.md"), join(home.agentDir, "agents", "dangling.md"));
		const run = await promptPi(home, "Go.");
		expect(delegations(run)[0]?.finalized).toMatchObject({ result: "I am custom" });
		expect(run.stderr).toMatch(/error: .*broken\.md:2:\d+: .+\n/);
		expect(run.stderr).toMatch(/error: .*both\.md:\d+:\d+: .*tools.*denied_tools/);
		expect(run.stderr).toMatch(/error: .*dangling\.md: .+\n/);
		const description = JSON.stringify(home.model.requests[0]?.raw);
		for (const name of ["explorer", "researcher", "reviewer", "implementer", "tester", "custom"]) {
			expect(description).toContain(`${name}:`);
		}
		expect(description).not.toContain("both:");
		expect(description).not.toContain("impostor");
	},
);
