import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { somePi, startTerminal } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** A parent that delegates the words of its prompt side by side, and children that wait for the gate of their task. */
const delegating = (gates: Record<string, ReturnType<typeof gate>>) =>
	dispatch({
		parent: ({ lastUserText, lastMessage }) => {
			if (lastMessage?.role === "tool") return text("Going on.");
			const [verb, ...tasks] = lastUserText.split(" ");
			return verb === "delegate" ? tasks.map((task) => delegateTo("explorer", task)) : text("Noted.");
		},
		child: async ({ firstUserText }) => {
			await gates[firstUserText]?.opened;
			return finalize(`Answer to ${firstUserText}.`);
		},
	});

const runsOf = (home: Home) => inLedger(home, "SELECT mode, delivery FROM runs ORDER BY seq");

/** The lines of the session's file, as pi wrote them. */
function transcript(home: Home): { type: string; customType?: string; message?: { role: string } }[] {
	const folder = join(home.agentDir, "sessions");
	const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
		name.endsWith(".jsonl"),
	);
	return readFileSync(join(folder, file), "utf8")
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line));
}

const announcesIn = (home: Home) =>
	transcript(home).filter(({ type, customType }) => type === "custom_message" && customType === "pi-geon:announce");

describe.each(somePi(import.meta.url))("alt+g, on pi %s", (version) => {
	test("answers the calls that wait, and their reports come once each", async () => {
		const gates = { A: gate(), B: gate() };
		const home = await openHome({ script: delegating(gates) });
		const terminal = startTerminal(home, { version, cols: 120, rows: 40 });
		await terminal.ready();
		terminal.key("alt+g");
		await terminal.waitForText(/The turn is not waiting for a subagent/);
		terminal.type("delegate A B\r");
		for (const task of ["A", "B"]) await home.model.waitFor((seen) => seen.isChild && seen.firstUserText === task);
		terminal.key("alt+g");
		await terminal.waitForText(/2 runs sent to the background\./);
		const asked = await home.model.waitFor((seen) => !seen.isChild && seen.turn === 1);
		expect(asked.toolResults.map(({ text: said }) => said)).toEqual(
			[1, 2].map(() => expect.stringMatching(/^explorer continues in the background as run [0-9a-f]{8}: the user/)),
		);
		await terminal.waitForText(/Going on\./);
		await terminal.waitForText(/explorer A/);
		expect(runsOf(home)).toEqual([1, 2].map(() => ({ mode: "background", delivery: "none" })));

		gates.A.open();
		await terminal.waitForText(/Answer to A\./);
		gates.B.open();
		await terminal.waitForText(/Answer to B\./);
		await eventually(() =>
			expect(runsOf(home)).toEqual([1, 2].map(() => ({ mode: "background", delivery: "delivered" }))),
		);
		expect(announcesIn(home)).toHaveLength(2);
	});

	longTest.each(["when the ledger has it", "when the call is answered"])(
		"a parent that is killed %s reports it once",
		async (when) => {
			const gates = { A: gate() };
			const home = await openHome({ script: delegating(gates) });
			const killed = startTerminal(home, { version, cols: 120, rows: 40 });
			await killed.ready();
			// A session has a file once the model has answered in it.
			killed.type("hello\r");
			await killed.waitForText(/Noted\./);
			killed.type("delegate A\r");
			await home.model.waitFor((seen) => seen.isChild);
			killed.key("alt+g");
			if (when === "when the call is answered") await killed.waitForText(/Going on\./);
			else await eventually(() => expect(runsOf(home)).toEqual([{ mode: "background", delivery: "none" }]));
			process.kill(killed.pid, "SIGKILL");
			await killed.exited;

			gates.A.open();
			const reopened = startTerminal(home, { version, cols: 120, rows: 40, args: ["-c"] });
			await reopened.ready();
			await reopened.waitForText(/Answer to A\./);
			await eventually(() => expect(runsOf(home)).toEqual([{ mode: "background", delivery: "delivered" }]));
			expect(announcesIn(home)).toHaveLength(1);
		},
	);
});
