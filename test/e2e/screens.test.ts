import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { runPi, somePi, startRpc, startTerminal } from "../helpers/pi.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { command } from "./commands.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

const AGENT = `---
name: note-taker
description: "Takes notes. Use it after a meeting."
readonly: true
tools: read, frobnicate
---
You take notes.
`;

/** Enters a line at once. Typed letter by letter, pi would offer completions, and Enter might choose one. */
function paste(terminal: TestTerminal, line: string): void {
	terminal.type(`\x1b[200~${line}\x1b[201~`);
	terminal.key("enter");
}

/** The line that is chosen, once there is exactly one: a repaint may be half done. */
function chosenLine(terminal: TestTerminal): number {
	const lines = terminal.screen().flatMap((line, index) => (/^\s*→ /.test(line) ? [index] : []));
	expect(lines).toHaveLength(1);
	return lines[0] ?? -1;
}

/** Chooses from a dialog of pi's, whose lines are all on the screen. */
async function choose(terminal: TestTerminal, words: RegExp): Promise<void> {
	const option = new RegExp(`^\\s*(?:→ )?(?:${words.source})`);
	let at = -1;
	let wanted = -1;
	const look = (before: number) =>
		eventually(() => {
			const line = chosenLine(terminal);
			const target = terminal.screen().findIndex((one) => option.test(one));
			expect(target).not.toBe(-1);
			expect(line).not.toBe(before);
			at = line;
			wanted = target;
		});
	await look(-1);
	while (wanted !== at) {
		terminal.key(wanted > at ? "down" : "up");
		await look(at);
	}
	terminal.key("enter");
}

/** Chooses from a list of ours: what is typed filters it down to this one. */
async function pick(terminal: TestTerminal, name: string): Promise<void> {
	await terminal.waitForText(/type to filter/);
	terminal.type(name);
	await terminal.waitForText(new RegExp(`→ ${name.replaceAll(".", "\\.")} (.|\\n)*filter: ${name}`));
	terminal.key("enter");
}

describe.each(somePi(import.meta.url))("screens, on pi %s", (version) => {
	test("settings show value, source and default, and change pi-geon.json without touching its comments", async () => {
		const home = await openHome({});
		const file = join(home.agentDir, "pi-geon.json");
		const before = "{\n\t// Short.\n\tsubagents: { timeoutMs: 60000 },\n}\n";
		writeFileSync(file, before, { mode: 0o600 });
		const terminal = startTerminal(home, { version, cols: 100, rows: 40 });
		await terminal.ready();
		paste(terminal, "/subagents settings");
		await terminal.waitForText(/subagents\.timeoutMs +60000 \(yours\)/);
		await pick(terminal, "subagents.timeoutMs");
		await terminal.waitForText(/default +900000/);
		await choose(terminal, /Change it/);
		await terminal.waitForText(/subagents\.timeoutMs \(a whole number/);
		terminal.type("soon\r");
		await terminal.waitForText(/Expected a whole number/);
		expect(readFileSync(file, "utf8")).toBe(before);
		await pick(terminal, "subagents.timeoutMs");
		await choose(terminal, /Change it/);
		await terminal.waitForText(/subagents\.timeoutMs \(a whole number/);
		terminal.type("70000\r");
		await terminal.waitForText(/subagents\.timeoutMs +70000 \(yours\)/);
		expect(readFileSync(file, "utf8")).toBe(before.replace("60000", "70000"));
		await pick(terminal, "subagents.enabled");
		await choose(terminal, /Set it to false/);
		await terminal.waitForText(/subagents\.enabled +false \(yours\)/);
		terminal.key("escape");
		await eventually(() => expect(terminal.screen().join("\n")).not.toMatch(/→ /));
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});

	longTest("agents are browsed with what they get and why, disabled, copied and edited", async () => {
		const home = await openHome({});
		const own = join(home.agentDir, "agents", "note-taker.md");
		mkdirSync(join(home.agentDir, "agents"), { recursive: true });
		writeFileSync(own, AGENT);
		const terminal = startTerminal(home, { version, cols: 100, rows: 50 });
		await terminal.ready();
		paste(terminal, "/subagents agents");
		await terminal.waitForText(/note-taker +user · Takes notes\./);
		await pick(terminal, "note-taker");
		await terminal.waitForText(/gets here +read/);
		await terminal.waitForText(/warning +.*frobnicate/);
		await choose(terminal, /Disable it/);
		await terminal.waitForText(/note-taker +user · off/);
		const config = JSON.parse(readFileSync(join(home.agentDir, "pi-geon.json"), "utf8"));
		expect(config).toEqual({ subagents: { disabled: ["note-taker"] } });
		await pick(terminal, "note-taker");
		await choose(terminal, /Enable it/);
		await terminal.waitForText(/note-taker +user · Takes/);

		await pick(terminal, "explorer");
		await choose(terminal, /Copy it to your agents/);
		await terminal.waitForText(/explorer\.md: Enter saves/);
		terminal.key("enter");
		await terminal.waitForText(/explorer +user/);
		const copy = join(home.agentDir, "agents", "explorer.md");
		expect(readFileSync(copy, "utf8")).toContain("name: explorer");

		await pick(terminal, "note-taker");
		await choose(terminal, /Edit its file/);
		await terminal.waitForText(/note-taker\.md: Enter saves/);
		terminal.type("Briefly.\r");
		await eventually(() => expect(readFileSync(own, "utf8")).toBe(`${AGENT}Briefly.\n`));
		terminal.key("escape");
	});

	longTest("a new agent is made with a form, or written by the model and shown before it is saved", async () => {
		const home = await openHome({
			script: dispatch({
				parent: () => text("Noted."),
				child: ({ firstUserText }) =>
					finalize(firstUserText.includes("takes notes") ? `\`\`\`markdown\n${AGENT}\`\`\`` : "What?"),
			}),
		});
		const terminal = startTerminal(home, { version, cols: 120, rows: 50 });
		await terminal.ready();
		paste(terminal, "/subagents new");
		await terminal.waitForText(/Name of the agent/);
		terminal.type("planner\r");
		await terminal.waitForText(/What does it do/);
		terminal.type("Plans things.\r");
		await terminal.waitForText(/What may it do\?/);
		await choose(terminal, /Read this codebase/);
		await choose(terminal, /For you, everywhere/);
		await terminal.waitForText(/planner\.md: Enter saves/);
		await terminal.waitForText(/description: "Plans things\."/);
		const planner = join(home.agentDir, "agents", "planner.md");
		expect(existsSync(planner)).toBe(false);
		terminal.key("enter");
		await terminal.waitForText(/Your new agent is in .*planner\.md/);
		expect(readFileSync(planner, "utf8")).toMatch(/^---\nname: planner\n.*\nreadonly: true\ntools: read,/);

		paste(terminal, "/subagents new one that takes notes");
		await choose(terminal, /For this project/);
		await terminal.waitForText(/note-taker\.md: Enter saves/);
		terminal.key("enter");
		await terminal.waitForText(/Your new agent is in .*note-taker\.md/);
		expect(readFileSync(join(home.project, ".pi", "agents", "note-taker.md"), "utf8")).toBe(AGENT);
		// Its run is on record, and is not reported to the conversation.
		await eventually(() => expect(inLedger(home, "SELECT delivery FROM runs")).toEqual([{ delivery: "skipped" }]));
		expect(home.model.requests.filter(({ isChild }) => !isChild)).toEqual([]);
	});

	test("without a terminal, settings are read and changed in one line, and the others say what works", async () => {
		const home = await openHome({});
		const rpc = startRpc(home, { version });
		expect((await command(rpc, "/subagents settings")).text).toMatch(/^ui\.widget +true$/m);
		expect((await command(rpc, "/subagents settings ui.widget false")).text).toBe("ui.widget is now false.");
		expect((await command(rpc, "/subagents settings")).text).toMatch(/^ui\.widget +false \(yours\), default true$/m);
		expect((await command(rpc, "/subagents settings ui.widget default")).text).toBe("ui.widget is now true.");
		expect(await command(rpc, "/subagents settings ui.widgte on")).toEqual({
			text: expect.stringMatching(/no setting "ui\.widgte"\. Did you mean ui\.widget\?/),
			type: "error",
		});
		expect((await command(rpc, "/subagents agents")).text).toMatch(/^6 agents/);
		expect(await command(rpc, "/subagents new")).toEqual({
			text: expect.stringMatching(/works only in a terminal\. Elsewhere, write the file: .*NAME\.md/),
			type: "error",
		});
		const printed = await runPi(home, [...home.extensionArgs, "-p", "/subagents settings ui.widget"], { version });
		expect(printed.stdout).toMatch(/^ui\.widget\nvalue +true\ndefault +true\naccepts +true or false\n/);
		const refused = await runPi(home, [...home.extensionArgs, "-p", "/subagents new"], { version });
		expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/works only in a terminal\. Elsewhere,/) });
	});
});
