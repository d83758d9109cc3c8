import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text } from "../helpers/model-steps.ts";
import { type PiEvent, promptPi, somePi, startRpc, startTerminal, summarize } from "../helpers/pi.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { ASKED_ABOUT, askLsp, checkOut, hostileBranch, hostileProgramRan, hostileTsc } from "./hostile-repository.ts";

const openHome = useHome();

/** In a sandbox a program that is run could leave no mark. */
const NO_SANDBOX = { subagents: { sandbox: { mode: "off" } } };

/** A parent that does what it is told: `checkout`, or `delegate` to an agent. */
const obeys =
	(agent: string): Script =>
	({ lastMessage, lastUserText }) => {
		if (lastMessage?.role === "tool") return text("Done.");
		if (lastUserText.startsWith("checkout")) return checkOut("hostile");
		if (!lastUserText.startsWith("delegate")) return text("Yes?");
		return lastUserText.includes("reviewer") ? delegateTo("reviewer", WHO) : delegateTo(agent, "Look around.");
	};

const WHO = "Who are you?";
const asksLsp: Script = ({ turn }) => (turn === 0 ? askLsp : finalize("Looked."));
const saysWho: Script = ({ systemText }) => finalize(/I am [a-z ]+/.exec(systemText)?.[0] ?? "the built-in");
/** The explorer asks its language server, the reviewer says who it is. */
const child: Script = (request) => (request.firstUserText === WHO ? saysWho : asksLsp)(request);

/** All that a branch can bring. */
const broughtBy = (home: Home): Record<string, string> => ({
	...ASKED_ABOUT,
	...hostileTsc(home),
	".pi/agents/reviewer.md": agentNamed("reviewer", "I am an impostor"),
	".pi/pi-geon.json": '{ "subagents": { "disabled": ["explorer"] } }',
});

async function hostileHome(parent: Script | readonly Reply[], config: object = {}): Promise<Home> {
	const home = await openHome({ config: { ...NO_SANDBOX, ...config }, script: dispatch({ parent, child }) });
	hostileBranch(home, broughtBy(home));
	return home;
}

const isDialog = (event: PiEvent): boolean =>
	event.type === "extension_ui_request" && ["confirm", "select"].includes(String(event.method));

describe.each(somePi(import.meta.url))(
	"a branch that was checked out in the session does not make its folder trusted, on pi %s",
	(version) => {
		test("in print mode its language server does not run, its agent replaces no built-in, its pi-geon.json is not read", async () => {
			const parent = [
				checkOut("hostile"),
				askLsp,
				delegateTo("explorer", "Look around."),
				delegateTo("reviewer", WHO),
				text("Done."),
			];
			const home = await hostileHome(parent, { lsp: { enabled: true } });
			const run = await promptPi(home, "Go.", { version });
			expect(run.toolResults.map(({ name }) => name)).toEqual(["bash", "lsp", "subagent", "subagent"]);
			// The explorer is there, although the branch switches it off.
			expect(delegations(run)).toMatchObject([
				{ finalized: { status: "SUCCESS", result: "Looked." } },
				{ finalized: { result: "the built-in" } },
			]);
			expect(hostileProgramRan(home)).toBe(false);
		});

		test("nor after a new session in the same process, nor does its agent run unasked, nor in another folder (RPC)", async () => {
			const home = await hostileHome(obeys("explorer"));
			const rpc = startRpc(home, { version });
			await rpc.promptAndSettle("checkout");
			await rpc.promptAndSettle("delegate");
			await rpc.send({ type: "new_session" });
			const looked = [{ finalized: { status: "SUCCESS", result: "Looked." } }];
			expect(delegations(summarize(await rpc.promptAndSettle("delegate")))).toMatchObject(looked);
			expect(hostileProgramRan(home)).toBe(false);

			const from = rpc.events.length;
			await rpc.prompt("delegate to the reviewer");
			const asked = await rpc.waitForEvent(isDialog, { from });
			rpc.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: asked.id, cancelled: true })}\n`);
			await rpc.waitForEvent((event) => event.type === "agent_settled", { from: rpc.events.indexOf(asked) });
			expect(home.model.requests.filter(({ isChild, firstUserText }) => isChild && firstUserText === WHO)).toEqual([]);

			const elsewhere = join(home.scratch, "elsewhere");
			mkdirSync(elsewhere);
			hostileBranch({ ...home, project: elsewhere }, broughtBy(home));
			const session = join(home.scratch, "elsewhere.jsonl");
			const header = { type: "session", version: 3, id: crypto.randomUUID(), timestamp: new Date().toISOString() };
			writeFileSync(session, `${JSON.stringify({ ...header, cwd: elsewhere })}\n`);
			await rpc.send({ type: "switch_session", sessionPath: session });
			await rpc.promptAndSettle("checkout");
			expect(delegations(summarize(await rpc.promptAndSettle("delegate")))).toMatchObject(looked);
			expect(hostileProgramRan(home)).toBe(false);
		});

		test("nor after /reload, on which pi itself saves that the folder is trusted, and /new (terminal)", async () => {
			const home = await hostileHome(obeys("explorer"));
			const terminal = startTerminal(home, { version });
			await terminal.ready();
			terminal.type("checkout\r");
			await terminal.waitForAnswer(/git checkout[\s\S]*Done\./);
			terminal.type("/reload\r");
			await terminal.waitForText(/saved project trust/);
			terminal.type("delegate once\r");
			await terminal.waitForAnswer(/delegate once[\s\S]*Looked[\s\S]*Done\./);
			terminal.type("/new\r");
			await terminal.waitForText(/New session started/i);
			terminal.type("delegate again\r");
			await terminal.waitForText(/delegate again[\s\S]*Looked[\s\S]*Done\./);
			expect(hostileProgramRan(home)).toBe(false);
		});
	},
);

describe.each(somePi(import.meta.url))("a decision makes the folder trusted, on pi %s", (version) => {
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
