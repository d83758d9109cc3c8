import { describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi, startRpc, startTerminal } from "../helpers/pi.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [verb, ...labels] = lastUserText.split(" ");
	if (verb !== "spawn") return text("Noted.");
	return labels.map((label) => toolCall("sessions_spawn", { task: "Look.", agent: "explorer", label }));
};
const script = dispatch({ parent, child: () => [text("I look."), hang()] });

const requestsOfParent = ({ model }: Home) => model.requests.filter(({ isChild }) => !isChild);

const childrenAtWork = (home: Home, amount: number) =>
	eventually(() => expect(home.model.requests.filter(({ isChild }) => isChild)).toHaveLength(amount));

const allTold = (home: Home, amount: number) =>
	eventually(() =>
		expect(inLedger(home, "SELECT delivery FROM runs WHERE delivery = 'delivered'")).toHaveLength(amount),
	);

function enter(terminal: TestTerminal, line: string): void {
	terminal.type(`\x1b[200~${line}\x1b[201~`);
	terminal.key("enter");
}

const timesShown = (terminal: TestTerminal, words: RegExp): number =>
	[...terminal.history().join("\n").matchAll(words)].length;

describe.each(somePi(import.meta.url))("what the user stops, on pi %s", (version) => {
	test("nine runs are one line and no turn, and the model reads of them with the next prompt", async () => {
		const home = await openHome({ script });
		const terminal = startTerminal(home, { version, cols: 160, rows: 50 });
		await terminal.ready();
		enter(terminal, "spawn a b c d e f g h i");
		await terminal.waitForText(/Spawned\./);
		// Eight work, the ninth is queued.
		await childrenAtWork(home, 8);
		const before = requestsOfParent(home).length;
		enter(terminal, "/stop");
		await terminal.waitForText(/✗ stopped 9 runs: explorer a, explorer b, explorer c/);
		await allTold(home, 9);
		enter(terminal, "Well?");
		await terminal.waitForText(/Noted\./);
		const [next, ...others] = requestsOfParent(home).slice(before);
		expect(others).toEqual([]);
		const said = JSON.stringify(next?.messages);
		expect(said.match(/The user stopped/g)).toHaveLength(1);
		expect(said).toMatch(
			/The user stopped 9 subagent runs: explorer \\"a\\" \(run [0-9a-f]{8}, sessionKey agent:main:/,
		);
		expect(said).toContain("Do not start them again unless the user asks.");
		expect(said).not.toContain("Status:");
		expect(timesShown(terminal, /✗ stopped/g)).toBe(1);
	});

	longTest("the inspector, a command and the shell start no turn either", async () => {
		const home = await openHome({ script });
		const terminal = startTerminal(home, { version, cols: 120, rows: 40 });
		await terminal.ready();
		enter(terminal, "spawn a b c");
		await terminal.waitForText(/Spawned\./);
		await childrenAtWork(home, 3);
		const before = requestsOfParent(home).length;
		enter(terminal, "/subagents stop a");
		await terminal.waitForText(/✗ stopped 1 run: explorer a/);
		expect((await piGeon(home, ["stop", "b"])).code).toBe(0);
		await terminal.waitForText(/✗ stopped 1 run: explorer b/);
		terminal.key("alt+s");
		await terminal.waitForText(/▸● #3 explorer c/);
		terminal.type("xy");
		await terminal.waitForText(/▸✗ #3 explorer c/);
		terminal.type("q");
		await terminal.waitForText(/✗ stopped 1 run: explorer c/);
		await allTold(home, 3);
		expect(requestsOfParent(home)).toHaveLength(before);
		enter(terminal, "Well?");
		await terminal.waitForText(/Noted\./);
		const [next, ...others] = requestsOfParent(home).slice(before);
		expect(others).toEqual([]);
		expect(JSON.stringify(next?.messages).match(/The user stopped 1 subagent run/g)).toHaveLength(3);
	});

	longTest("a session that was closed meanwhile is told when it is opened, without a turn", async () => {
		const home = await openHome({ script });
		const rpc = startRpc(home, { version });
		await rpc.promptAndSettle("spawn a b");
		await childrenAtWork(home, 2);
		await rpc.close();
		const before = requestsOfParent(home).length;
		expect((await piGeon(home, ["stop", "all"])).code).toBe(0);
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state <> 'ended'")).toEqual([]));
		// The session is opened again: the line comes, no turn does.
		const [{ parent_session: session } = { parent_session: "" }] = inLedger<{ parent_session: string }>(
			home,
			"SELECT parent_session FROM runs",
		);
		const again = startRpc(home, { version, args: ["--session-id", session] });
		await allTold(home, 2);
		expect(requestsOfParent(home)).toHaveLength(before);
		await again.promptAndSettle("Well?");
		const [next, ...others] = requestsOfParent(home).slice(before);
		expect(others).toEqual([]);
		expect(JSON.stringify(next?.messages).match(/The user stopped 2 subagent runs/g)).toHaveLength(1);
	});

	test("a pi that waits for its runs before it exits does not ask the model again", async () => {
		const home = await openHome({ script });
		const prompted = promptPi(home, "spawn a b", { version });
		await childrenAtWork(home, 2);
		expect((await piGeon(home, ["stop", "all"])).code).toBe(0);
		await prompted;
		await allTold(home, 2);
		expect(requestsOfParent(home)).toHaveLength(2);
	});
});
