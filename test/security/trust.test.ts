import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { type PiEvent, piVersions, promptPi, startRpc, startTerminal, summarize } from "../helpers/pi.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { ASKED_ABOUT, askLsp, checkOut, hostileBranch, hostileProgramRan, hostileTsc } from "./hostile-repository.ts";

const openHome = useHome();

/** In a sandbox a program that is run could leave no mark. */
const NO_SANDBOX = { subagents: { sandbox: { mode: "off" } } };

/** A parent that does what it is told, one word a prompt. */
const obeys =
	(agent: string): Script =>
	({ lastMessage, lastUserText }) => {
		if (lastMessage?.role === "tool") return text("Done.");
		if (lastUserText.startsWith("checkout")) return checkOut("hostile");
		return lastUserText.startsWith("delegate") ? delegateTo(agent, "Look around.") : text("Yes?");
	};

const asksLsp: Script = ({ turn }) => (turn === 0 ? askLsp : finalize("Looked."));
const saysWho: Script = ({ systemText }) => finalize(/I am [a-z ]+/.exec(systemText)?.[0] ?? "the built-in");

/** In one prompt: checks out the branch, then delegates. */
const checksOutAndDelegates = (agent: string) => [
	checkOut("hostile"),
	delegateTo(agent, "Look around."),
	text("Done."),
];

async function hostileHome(agent: string, child: Script, more: (home: Home) => Record<string, string>): Promise<Home> {
	const home = await openHome({ config: NO_SANDBOX, script: dispatch({ parent: obeys(agent), child }) });
	hostileBranch(home, { ...ASKED_ABOUT, ...more(home) });
	return home;
}

const isDialog = (event: PiEvent): boolean =>
	event.type === "extension_ui_request" && ["confirm", "select"].includes(String(event.method));

describe.each(piVersions)(
	"a branch that was checked out in the session does not make its folder trusted, on pi %s",
	(version) => {
		test("its language server does not run for the built-in explorer (print mode)", async () => {
			const home = await openHome({
				config: NO_SANDBOX,
				script: dispatch({ parent: checksOutAndDelegates("explorer"), child: asksLsp }),
			});
			hostileBranch(home, { ...ASKED_ABOUT, ...hostileTsc(home) });
			const run = await promptPi(home, "Go.", { version });
			expect(delegations(run)).toMatchObject([{ finalized: { status: "SUCCESS" } }]);
			expect(hostileProgramRan(home)).toBe(false);
		});

		test("nor after a new session in the same process (RPC)", async () => {
			const home = await hostileHome("explorer", asksLsp, hostileTsc);
			const rpc = startRpc(home, { version });
			await rpc.promptAndSettle("checkout");
			await rpc.promptAndSettle("delegate");
			await rpc.send({ type: "new_session" });
			const events = await rpc.promptAndSettle("delegate");
			expect(delegations(summarize(events))).toMatchObject([{ finalized: { status: "SUCCESS" } }]);
			expect(hostileProgramRan(home)).toBe(false);
		});

		test("nor after /reload, on which pi itself saves that the folder is trusted, and /new (terminal)", async () => {
			const home = await hostileHome("explorer", asksLsp, hostileTsc);
			const terminal = startTerminal(home, { version });
			await terminal.ready();
			terminal.type("checkout\r");
			await terminal.waitForText(/git checkout[\s\S]*Done\./);
			terminal.type("/reload\r");
			await terminal.waitForText(/saved project trust/);
			terminal.type("delegate once\r");
			await terminal.waitForText(/delegate once[\s\S]*Looked[\s\S]*Done\./);
			terminal.type("/new\r");
			await terminal.waitForText(/New session started/i);
			terminal.type("delegate again\r");
			await terminal.waitForText(/delegate again[\s\S]*Looked[\s\S]*Done\./);
			expect(hostileProgramRan(home)).toBe(false);
		});

		test("another folder that a session is switched to is not trusted for what it holds", async () => {
			const home = await hostileHome("explorer", asksLsp, hostileTsc);
			const elsewhere = join(home.scratch, "elsewhere");
			mkdirSync(elsewhere);
			hostileBranch({ ...home, project: elsewhere }, { ...ASKED_ABOUT, ...hostileTsc(home) });
			const session = join(home.scratch, "elsewhere.jsonl");
			const header = { type: "session", version: 3, id: crypto.randomUUID(), timestamp: new Date().toISOString() };
			writeFileSync(session, `${JSON.stringify({ ...header, cwd: elsewhere })}\n`);
			const rpc = startRpc(home, { version });
			await rpc.send({ type: "switch_session", sessionPath: session });
			await rpc.promptAndSettle("checkout");
			const events = await rpc.promptAndSettle("delegate");
			expect(delegations(summarize(events))).toMatchObject([{ finalized: { status: "SUCCESS" } }]);
			expect(hostileProgramRan(home)).toBe(false);
		});
	},
);

describe.each(piVersions)(
	"a branch that was checked out in the session does not make its folder trusted, on pi %s",
	(version) => {
		test("nor for the parent's own lsp tool", async () => {
			const home = await openHome({
				config: { lsp: { enabled: true } },
				script: dispatch({ parent: [checkOut("hostile"), askLsp, text("Done.")], child: [] }),
			});
			hostileBranch(home, { ...ASKED_ABOUT, ...hostileTsc(home) });
			const run = await promptPi(home, "Go.", { version });
			expect(run.toolResults.map(({ name }) => name)).toEqual(["bash", "lsp"]);
			expect(hostileProgramRan(home)).toBe(false);
		});

		test("its agent does not take the place of a built-in where nobody can be asked", async () => {
			const home = await openHome({
				config: NO_SANDBOX,
				script: dispatch({ parent: checksOutAndDelegates("reviewer"), child: saysWho }),
			});
			hostileBranch(home, { ...ASKED_ABOUT, ".pi/agents/reviewer.md": agentNamed("reviewer", "I am an impostor") });
			const run = await promptPi(home, "Go.", { version });
			expect(delegations(run)).toMatchObject([{ finalized: { result: "the built-in" } }]);
		});

		test("its agent does not take the place of a built-in without a question (RPC)", async () => {
			const home = await hostileHome("reviewer", saysWho, () => ({
				".pi/agents/reviewer.md": agentNamed("reviewer", "I am an impostor"),
			}));
			const rpc = startRpc(home, { version });
			await rpc.promptAndSettle("checkout");
			await rpc.prompt("delegate");
			const asked = await rpc.waitForEvent(isDialog);
			rpc.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: asked.id, cancelled: true })}\n`);
			await rpc.waitForEvent((event) => event.type === "agent_settled", { from: rpc.events.indexOf(asked) });
			expect(home.model.requests.filter(({ isChild }) => isChild)).toEqual([]);
		});

		test("its pi-geon.json is not read", async () => {
			const home = await openHome({
				config: NO_SANDBOX,
				script: dispatch({ parent: checksOutAndDelegates("explorer"), child: saysWho }),
			});
			hostileBranch(home, { ...ASKED_ABOUT, ".pi/pi-geon.json": '{ "subagents": { "disabled": ["explorer"] } }' });
			const run = await promptPi(home, "Go.", { version });
			expect(delegations(run)).toMatchObject([{ finalized: { result: "the built-in" } }]);
		});
	},
);

describe.each(piVersions)("a decision makes the folder trusted, on pi %s", (version) => {
	const ownReviewer = { ".pi/agents/reviewer.md": agentNamed("reviewer", "I am of the project") };
	const openProject = (settings: object = {}, files: Record<string, string> = {}) =>
		openHome({
			script: dispatch({ parent: obeys("reviewer"), child: saysWho }),
			files: { ...ownReviewer, ...files },
			settings,
		});
	const whoRan = async (...args: Parameters<typeof promptPi>) => delegations(await promptPi(...args))[0]?.finalized;

	test("--approve", async () => {
		const run = await whoRan(await openProject(), "delegate", { version, args: ["--approve"] });
		expect(run).toMatchObject({ result: "I am of the project" });
	});

	test("a saved decision about it or a folder above it", async () => {
		const home = await openProject();
		writeFileSync(join(home.agentDir, "trust.json"), JSON.stringify({ [home.scratch]: true }));
		expect(await whoRan(home, "delegate", { version })).toMatchObject({ result: "I am of the project" });
	});

	test("the user's default", async () => {
		const home = await openProject({ defaultProjectTrust: "always" });
		expect(await whoRan(home, "delegate", { version })).toMatchObject({ result: "I am of the project" });
	});

	test("but not a default that a saved decision overrules", async () => {
		const home = await openProject({ defaultProjectTrust: "always" });
		writeFileSync(join(home.agentDir, "trust.json"), JSON.stringify({ [home.project]: false }));
		expect(await whoRan(home, "delegate", { version })).toMatchObject({ result: "the built-in" });
	});

	test("but not in print mode what pi would have asked a user about", async () => {
		const home = await openProject({}, ASKED_ABOUT);
		expect(await whoRan(home, "delegate", { version })).toMatchObject({ result: "the built-in" });
	});

	test("the user's answer to pi's own question, also for what comes later", async () => {
		const home = await openHome({
			script: dispatch({ parent: obeys("reviewer"), child: saysWho }),
			files: ASKED_ABOUT,
		});
		hostileBranch(home, ownReviewer);
		const terminal = startTerminal(home, { version });
		await terminal.waitForText(/Trust project folder\?/);
		await chooseTrustForThisSession(terminal);
		await terminal.ready();
		terminal.type("checkout\r");
		await terminal.waitForText(/git checkout[\s\S]*Done\./);
		terminal.type("delegate\r");
		await terminal.waitForText(/delegate[\s\S]*Done\./);
		const child = home.model.requests.find(({ isChild }) => isChild);
		expect(child?.systemText).toContain("I am of the project");
	});
});

/** pi puts the cursor on "Trust", which it would save. */
async function chooseTrustForThisSession(terminal: TestTerminal): Promise<void> {
	terminal.key("down");
	await terminal.waitForText(/→ Trust parent folder/);
	terminal.key("down");
	await terminal.waitForText(/→ Trust \(this session only\)/);
	terminal.key("enter");
}
