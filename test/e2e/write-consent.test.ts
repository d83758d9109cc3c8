import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Step, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, type PiEvent, promptPi, somePi, startRpc, startTerminal } from "../helpers/pi.ts";
import type { RpcClient } from "../helpers/rpc.ts";
import { type SharedHomeOptions, useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { inLedger } from "./ledger-of.ts";

const openHome = useHome();
const shared = useSharedPi();
const FIXER = "fixer asks for bash, edit. Let it write in your checkout?";
const [NO, SESSION, ALWAYS] = ["No (default)", "This session", "Always, until its file changes"] as const;
const SAID_NO =
	"bash, edit were left out: the user did not let fixer write in this checkout. subagents.allowWrite in pi-geon.json allows it.";

const fixer = (more = "tools: read, bash, edit"): string => agentNamed("fixer", "You fix.", more);

/** A home with an agent that asks for tools that write. Each prompt makes the model say these steps. */
const withFixer = (steps: Step[], options: Partial<SharedHomeOptions> = {}): SharedHomeOptions => ({
	agents: { "fixer.md": fixer() },
	script: dispatch({
		parent: ({ lastMessage }) => (lastMessage?.role === "tool" ? text("Done.") : steps),
		child: [finalize("Fixed.")],
	}),
	...options,
});
const openFixer = (...about: Parameters<typeof withFixer>): Promise<Home> => openHome(withFixer(...about));
/** The same in a home that tests share, where nothing is remembered for longer than a session. */
const shareFixer = (...about: Parameters<typeof withFixer>): Promise<Home> => shared.openHome(withFixer(...about));

const consentsFile = (home: Home): string => join(home.agentDir, "pi-geon", "write-consents.json");
const childTools = (home: Home): string[][] =>
	home.model.requests.filter(({ isChild }) => isChild).map(({ tools }) => [...tools].sort());
const READS = ["read", "subagent_finalize"];
const WRITES = ["bash", "edit", "read", "subagent_finalize"];

const isQuestion = (event: PiEvent): boolean => event.type === "extension_ui_request" && event.method === "select";
const questions = (rpc: RpcClient): PiEvent[] => rpc.events.filter(isQuestion);

/** Prompts, and answers the next question that comes. */
async function answering(rpc: RpcClient, answer: string | undefined): Promise<PiEvent> {
	const from = rpc.events.length;
	await rpc.prompt("Go.");
	const asked = await rpc.waitForEvent(isQuestion, { from });
	const reply = answer === undefined ? { cancelled: true } : { value: answer };
	rpc.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: asked.id, ...reply })}\n`);
	await rpc.waitForEvent((event) => event.type === "agent_settled", { from });
	return asked;
}

const toolResults = (home: Home): string =>
	JSON.stringify(home.model.requests.filter(({ isChild }) => !isChild).map(({ toolResults: results }) => results));

describe.each(somePi(import.meta.url))("an agent that asks for tools that write, on pi %s", (version) => {
	test("is asked about once; No leaves it the tools that read, and the model is told", async () => {
		const home = await shareFixer([delegateTo("fixer", "First."), delegateTo("fixer", "Second.")], { pi: version });
		const rpc = await shared.newSession(home);
		const asked = await answering(rpc, NO);
		expect(asked.title).toBe(`${FIXER}\n${join(home.agentDir, "agents", "fixer.md")}`);
		expect(asked.options).toEqual([NO, SESSION, ALWAYS]);
		await rpc.promptAndSettle("Go.");
		expect(questions(rpc)).toHaveLength(1);
		expect(childTools(home)).toEqual([READS, READS, READS, READS]);
		expect(toolResults(home)).toContain(SAID_NO);
	});

	test("dismissing the question is a No", async () => {
		const home = await shareFixer([delegateTo("fixer", "First.")], { pi: version });
		const rpc = await shared.newSession(home);
		await answering(rpc, undefined);
		await rpc.promptAndSettle("Go.");
		expect(questions(rpc)).toHaveLength(1);
		expect(childTools(home)).toEqual([READS, READS]);
	});

	test("This session gives it what it asks for until the session ends", async () => {
		const home = await shareFixer([delegateTo("fixer", "First.")], { pi: version });
		const rpc = await shared.newSession(home);
		await answering(rpc, SESSION);
		await rpc.promptAndSettle("Go.");
		expect(questions(rpc)).toHaveLength(1);
		await rpc.send({ type: "new_session" });
		await answering(rpc, NO);
		expect(childTools(home)).toEqual([WRITES, WRITES, READS]);
		expect(toolResults(home)).toContain(SAID_NO);
	});

	test("a turn that is aborted starts nothing, and the next run asks again", async () => {
		const home = await shareFixer([delegateTo("fixer", "First.")], { pi: version });
		const rpc = await shared.newSession(home);
		const { sessionId } = (await rpc.send({ type: "get_state" })).data as { sessionId: string };
		const runs = () => inLedger(home, "SELECT 1 FROM runs WHERE parent_session = ?", sessionId);
		await rpc.prompt("Go.");
		await rpc.waitForEvent(isQuestion);
		await rpc.send({ type: "abort" });
		await rpc.waitForEvent((event) => event.type === "agent_settled");
		expect(runs()).toEqual([]);
		await answering(rpc, SESSION);
		expect(childTools(home)).toEqual([WRITES]);
		expect(runs()).toHaveLength(1);
	});

	test("in the terminal the first answer is No, and the row says what was left out", async () => {
		const home = await openFixer([delegateTo("fixer", "First.")], { pi: version });
		const terminal = startTerminal(home, { version });
		await terminal.ready();
		terminal.type("Go.\r");
		await terminal.waitForText(/fixer asks for bash, edit\. Let it write in your checkout\?[\s\S]*→ No \(default\)/);
		terminal.key("enter");
		await terminal.waitForText(/✓ finished[\s\S]*bash, edit were left out: the user did not let fixer/);
		expect(childTools(home)).toEqual([READS]);
	});
});

describe("an agent that asks for tools that write, on any pi", () => {
	const version = ANY_PI;

	test("Always holds in later sessions, with and without a user, until the file changes or it is forgotten", async () => {
		const home = await openFixer([delegateTo("fixer", "First.")], { pi: version });
		const rpc = startRpc(home);
		await answering(rpc, ALWAYS);
		await rpc.close();
		expect(statSync(consentsFile(home)).mode & 0o777).toBe(0o600);
		expect(JSON.parse(readFileSync(consentsFile(home), "utf8"))).toMatchObject({
			always: [{ agent: "fixer", digest: expect.stringMatching(/^[0-9a-f]{64}$/) }],
		});
		await promptPi(home, "Go.", { version });
		expect(childTools(home)).toEqual([WRITES, WRITES]);
		const told = await piGeon(home, ["agents"]);
		expect(told.stdout, told.stderr).toMatch(/fixer · user[\s\S]*may write\s+always, since \d{4}-/);

		writeFileSync(join(home.agentDir, "agents", "fixer.md"), `${fixer()}Take care.\n`);
		const again = startRpc(home);
		await answering(again, ALWAYS);
		await again.promptAndSettle("Go.");
		expect(questions(again)).toHaveLength(1);
		expect(JSON.parse(readFileSync(consentsFile(home), "utf8")).always).toHaveLength(1);

		await again.prompt("/toolkit agents forget fixer");
		await answering(again, NO);
		expect(questions(again)).toHaveLength(2);
		expect(childTools(home).at(-1)).toEqual(READS);
	});

	test("in the background it is asked about before the run is accepted", async () => {
		const home = await openFixer([toolCall("sessions_spawn", { agent: "fixer", task: "First." })], { pi: version });
		const rpc = startRpc(home);
		await rpc.prompt("Go.");
		const asked = await rpc.waitForEvent(isQuestion);
		expect(inLedger(home, "SELECT 1 FROM runs")).toEqual([]);
		rpc.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: asked.id, value: SESSION })}\n`);
		await home.model.waitFor(({ isChild }) => isChild);
		expect(childTools(home)).toEqual([WRITES]);
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Status: success"));
	});

	test("in the terminal Always is two keys away", async () => {
		const home = await openFixer([delegateTo("fixer", "First.")], { pi: version });
		const terminal = startTerminal(home, { version });
		await terminal.ready();
		terminal.type("Go.\r");
		await terminal.waitForText(/→ No \(default\)/);
		terminal.key("down");
		await terminal.waitForText(/→ This session/);
		terminal.key("down");
		await terminal.waitForText(/→ Always, until its file changes/);
		terminal.key("enter");
		await terminal.waitForText(/✓ finished/);
		expect(childTools(home)).toEqual([WRITES]);
		expect(terminal.screen().join("\n")).not.toContain("left out");
	});
});

describe("no question is asked", () => {
	const settled = async (home: Home, rpc?: RpcClient) => {
		const asked = rpc ?? (await shared.newSession(home));
		await asked.promptAndSettle("Go.");
		expect(questions(asked)).toEqual([]);
	};

	test("about an agent that is readonly", async () => {
		const agents = { "fixer.md": fixer("readonly: true\ntools: read, bash, edit") };
		const home = await shareFixer([delegateTo("fixer", "First.")], { agents });
		await settled(home);
		expect(childTools(home)).toEqual([READS]);
		expect(toolResults(home)).toContain("bash, edit were left out: fixer is read-only.");
	});

	test("a tool of which the file denies some uses: result and model say that the whole tool is denied", async () => {
		const agents = { "fixer.md": fixer("tools: read, bash\ndisallowedTools: Bash(rm:*)") };
		const home = await openFixer([delegateTo("fixer", "First.")], { agents });
		const [details] = delegations(await promptPi(home, "Go."));
		const warning =
			"bash was left out: the file denies Bash(rm:*), and some uses of a tool cannot be denied here. Remove that entry to grant the whole tool.";
		expect(childTools(home)).toEqual([READS]);
		expect(details?.results[0]?.warnings).toEqual([warning]);
		expect(toolResults(home)).toContain(`**Warning:** ${warning}`);
	});

	test("about an agent that allowWrite lets write, or that asks for nothing that writes", async () => {
		await settled(await shareFixer([delegateTo("fixer", "First.")], { config: { subagents: { allowWrite: true } } }));
		await settled(await shareFixer([delegateTo("fixer", "First.")], { agents: { "fixer.md": fixer("tools: read") } }));
	});

	test("about tools that the configuration denies, even if the user said Always", async () => {
		const config = { tools: { subagents: { tools: { deny: ["bash", "edit"] } } } };
		const home = await shareFixer([delegateTo("fixer", "First.")], { config });
		await settled(home);
		expect(childTools(home)).toEqual([READS]);
		expect(toolResults(home)).toContain("tools.subagents.tools.deny in pi-geon.json forbids them.");
	});

	test("in a project that is not trusted, whatever the user said elsewhere", async () => {
		const home = await openFixer([delegateTo("fixer", "First.")]);
		const elsewhere = startRpc(home);
		await answering(elsewhere, ALWAYS);
		await elsewhere.close();
		writeFileSync(join(home.agentDir, "trust.json"), JSON.stringify({ [home.project]: false }));
		await settled(home, startRpc(home));
		expect(childTools(home)).toEqual([WRITES, READS]);
		expect(toolResults(home)).toContain("the user is not asked in a project that is not trusted (/trust)");
	});

	test("where there is no user: the model is told of the setting", async () => {
		const home = await openFixer([delegateTo("fixer", "First.")]);
		const [details] = delegations(await promptPi(home, "Go."));
		const warning = "bash, edit were left out: subagents.allowWrite is false in pi-geon.json.";
		expect(childTools(home)).toEqual([READS]);
		expect(toolResults(home)).toContain(`**Warning:** ${warning}`);
		expect(details?.results[0]?.warnings).toEqual([warning]);
	});
});

test("a project's own settings cannot let an agent write", async () => {
	const home = await openFixer([delegateTo("fixer", "First.")], {
		files: {
			".pi/pi-geon.json": JSON.stringify({ subagents: { allowWrite: true } }),
			".pi/write-consents.json": JSON.stringify({ always: [{ agent: "fixer", file: "x", digest: "x", since: 1 }] }),
		},
	});
	await promptPi(home, "Go.", { args: ["--approve"] });
	expect(childTools(home)).toEqual([READS]);
});
