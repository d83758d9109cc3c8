import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import { longTest } from "../helpers/long-test.ts";
import { hang } from "../helpers/model-steps.ts";
import { somePi, startTerminal } from "../helpers/pi.ts";
import type { TestTerminal } from "../helpers/terminal.ts";
import { useHome } from "../helpers/use-home.ts";
import { fiveHundredRuns, ledgerFile, spawning, WITHOUT_RUNS, WRONG } from "./commands.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** Enters a line at once. Typed letter by letter, pi would offer completions, and Enter might choose one. */
function paste(terminal: TestTerminal, line: string): void {
	terminal.type(`\x1b[200~${line}\x1b[201~`);
	terminal.key("enter");
}

const shown = (terminal: TestTerminal): string =>
	terminal
		.history()
		.map((line) => line.trim())
		.join("\n");

const times = (words: RegExp, text: string): number => [...text.matchAll(new RegExp(words, "g"))].length;

/** Reports begin somewhere on the screen. */
const anywhere = (says: RegExp): RegExp => new RegExp(says.source.replace(/^\^/, ""));

describe.each(somePi(import.meta.url))("commands in a terminal, on pi %s", (version) => {
	test("each has an answer in the conversation that the model never sees, and makes no ledger", async () => {
		const home = await openHome({});
		// High enough for all answers: what scrolls away is not on pi 1.5's screen any more.
		const terminal = startTerminal(home, { version, cols: 250, rows: 500 });
		await terminal.ready();
		for (const [line, says] of [...WITHOUT_RUNS, ...WRONG]) {
			const before = times(anywhere(says), shown(terminal));
			paste(terminal, line);
			await eventually(() => expect(times(anywhere(says), shown(terminal)), line).toBe(before + 1));
		}
		terminal.type("/subagents info l");
		await terminal.waitForText(/\/subagents info l/);
		expect(existsSync(ledgerFile(home))).toBe(false);
		expect(home.model.requests).toEqual([]);
	});

	test("subcommands, ids and labels are completed, and what is complete is entered at once; /stop ends a running turn", async () => {
		const gates = { A: gate(), B: gate() };
		const spawn = spawning(gates);
		const home = await openHome({ script: (request) => (request.lastUserText === "think" ? hang() : spawn(request)) });
		const terminal = startTerminal(home, { version, cols: 100, rows: 40 });
		await terminal.ready();
		terminal.type("/subagents ");
		for (const words of [
			/list +\[all\|number\]: list the runs/,
			/stop +<id\|#\|all>: stop a run/,
			/run +<agent> <task>: start a run/,
		]) {
			await terminal.waitForText(words);
		}
		terminal.type("li");
		await eventually(() => expect(terminal.screen().join("\n")).not.toMatch(/stop a run/));
		terminal.type("st");
		await eventually(() => expect(terminal.screen().join("\n")).not.toMatch(/the runs of this session/));
		terminal.key("enter");
		await terminal.waitForText(/No runs in this session yet/);

		terminal.type("spawn A B");
		terminal.key("enter");
		await home.model.waitFor(({ isChild, firstUserText }) => isChild && firstUserText === "A");
		await home.model.waitFor(({ isChild, firstUserText }) => isChild && firstUserText === "B");
		await terminal.waitForText(/Spawned\./);
		terminal.type("/subagents stop ");
		await terminal.waitForText(/last +#2 explorer · running · the B/);
		await terminal.waitForText(/[0-9a-f]{8} +#1 explorer · running · the A/);
		await terminal.waitForText(/all +every open run/);
		terminal.type("the");
		await eventually(() => expect(terminal.screen().join("\n")).not.toMatch(/every open run/));
		terminal.key("down", "tab");
		await terminal.waitForText(/\/subagents stop "the A"/);
		terminal.key("enter");
		await terminal.waitForText(/Stopping 1 run: [0-9a-f]{8}\./);
		await eventually(() =>
			expect(inLedger(home, "SELECT label, stop_by FROM runs WHERE stop_at IS NOT NULL")).toEqual([
				{ label: "the A", stop_by: "the user" },
			]),
		);
		await terminal.waitForText(/✗ stopped 1 run: explorer the A/);
		paste(terminal, "think");
		const thinking = await home.model.waitFor(({ lastUserText }) => lastUserText === "think");
		paste(terminal, "/stop");
		await terminal.waitForText(/The turn was stopped\.\s+Stopping 1 run: [0-9a-f]{8}\./);
		await thinking.ended;
		expect(thinking.aborted).toBe(true);
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state <> 'ended'")).toEqual([]));
	});

	longTest("/sub and Enter is /subagents", async () => {
		const home = await openHome({});
		const terminal = startTerminal(home, { version });
		await terminal.ready();
		terminal.type("/sub");
		await terminal.waitForText(/→ subagents/);
		terminal.key("enter");
		await terminal.waitForText(/No runs in this session yet/);
	});

	longTest.each([
		[40, 24],
		[60, 15],
	])("five hundred runs are readable at %d x %d", async (cols, rows) => {
		const home = await openHome({});
		const session = await fiveHundredRuns(home);
		const terminal = startTerminal(home, { version, cols, rows, args: ["--session-id", session] });
		await terminal.ready();
		const answers: [line: string, says: RegExp][] = [
			["/subagents list 1", /#500 explorer · finished 0s\nFind where it is\.\n100001f3\n\n…and 499 more\./],
			["/subagents list", /\n#481 explorer · finished 0s\n.*\n100001e0\n\n…and 480 more\./],
			["/subagents list all", /\n#1 explorer · finished 0s\n.*\n[0-9a-f]{8}\n/],
			["/subagents info #17", /\nSeen\. Seen\. Seen\. Seen\. /],
			["/subagents log last", /explorer, finished\n\nNothing was said\.\n\nThere is no transcript\./],
			["/subagents stop last", /Already finished: 100001f3\. Nothing/],
			["/toolkit activity", /No run is open/],
			["/toolkit help", /Documentation:/],
		];
		for (const [line, says] of answers) {
			paste(terminal, line);
			await eventually(() => expect(shown(terminal), line).toMatch(says));
		}
		for (const line of terminal.history()) expect(line.length).toBeLessThanOrEqual(cols);
		expect(home.model.requests).toEqual([]);
	});
});
