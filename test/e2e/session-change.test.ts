import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, startTerminal } from "../helpers/pi.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";

const openHome = useHome();

/** A parent that spawns what it is asked to (`spawn A`), and says whose announces it has heard. */
const parent: Script = ({ lastUserText, lastMessage, messages }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [verb, ...tasks] = lastUserText.split(" ");
	if (verb === "spawn")
		return tasks.map((task) => toolCall("sessions_spawn", { task, agent: "explorer", label: task }));
	const heard = [...JSON.stringify(messages).matchAll(/Answer to (\w+)\./g)].map(([, task]) => task);
	return text(`Heard: ${heard.join(", ")}.`);
};

describe.each(piVersions)("with running runs on pi %s", (version) => {
	test("the widget follows /reload, /new, /resume and /fork, and each report comes once where it belongs", async () => {
		const gates: Record<string, ReturnType<typeof gate>> = { apples: gate(), pears: gate() };
		const child: Script = async ({ firstUserText }) => {
			await gates[firstUserText]?.opened;
			return finalize(`Answer to ${firstUserText}.`);
		};
		const home = await openHome({ script: dispatch({ parent, child }) });
		const terminal = startTerminal(home, { version, cols: 100, rows: 30 });
		await terminal.ready();
		terminal.type("spawn apples\r");
		await terminal.waitForAnswer(/Spawned\.[\s\S]*● explorer apples/);

		terminal.type("/reload\r");
		await terminal.waitForText(/Reloaded/);
		await terminal.waitForText(/● explorer apples[\s\S]*1 running/);
		expectNoError(terminal);

		terminal.type("/new\r");
		await terminal.waitForText(/New session started/i);
		await gone(terminal, /\d running/);
		terminal.type("spawn pears\r");
		await terminal.waitForText(/Spawned\.[\s\S]*● explorer pears[\s\S]*1 running/);
		expect(widget(terminal)).toEqual(["pears"]);

		await resume(terminal, "spawn apples");
		await terminal.waitForText(/● explorer apples[\s\S]*1 running/);
		expect(widget(terminal)).toEqual(["apples"]);
		expectNoError(terminal);

		// A fork is another session: the run continues, and belongs to the one it was asked in.
		terminal.type("/fork\r");
		await terminal.waitForText(/Fork from Message/i);
		terminal.key("enter");
		await terminal.waitForText(/Forked to new session/);
		await gone(terminal, /\d running/);
		expectNoError(terminal);
		// pi puts the message back into the editor.
		await terminal.waitForText(/^spawn apples *$/m);
		terminal.key("ctrl+c");
		await gone(terminal, /\nspawn apples/);

		gates.apples?.open();
		gates.pears?.open();
		await resume(terminal, "spawn apples");
		await terminal.waitForText(/Heard: apples\./);
		await gone(terminal, /\d running/);
		await resume(terminal, "spawn pears");
		await terminal.waitForText(/Heard: pears\./);
		expectNoError(terminal);
		expect(terminal.overflows()).toEqual([]);

		terminal.type("/quit\r");
		expect(await terminal.exited).toBe(0);
	});
});

const screenOf = (terminal: TestTerminal): string => terminal.screen().join("\n");

/** The runs that have a line in the widget. */
const widget = (terminal: TestTerminal): string[] =>
	[...screenOf(terminal).matchAll(/^ [○●◌✓✗] explorer (\w+) +›/gm)].map(([, label]) => label ?? "");

function expectNoError(terminal: TestTerminal): void {
	expect(terminal.history().join("\n")).not.toMatch(/stale|Error:|extension error|cannot deliver|cannot see to/i);
}

const gone = (terminal: TestTerminal, text: RegExp): Promise<unknown> =>
	terminal.waitForText(new RegExp(`^(?![\\s\\S]*${text.source})`));

/**
 * As a user does: opens the list of sessions, looks for the one that began like this, and takes it. In quotes: otherwise
 * pi also finds sessions that hold the letters apart, and stays with one of them that it has read before the right one.
 */
async function resume(terminal: TestTerminal, began: string): Promise<void> {
	terminal.type("/resume\r");
	await terminal.waitForText(/Resume Session/);
	terminal.type(`"${began}"`);
	await terminal.waitForText(new RegExp(`> "${began}"[\\s\\S]*^› ${began}`, "m"));
	terminal.key("enter");
	await terminal.waitForText(/^(?![\s\S]*Resume Session)[\s\S]*Resumed session/);
}
