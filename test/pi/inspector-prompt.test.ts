import { stripVTControlCharacters } from "node:util";
import { KeybindingsManager, setKeybindings, type TUI, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import type { RunRecord } from "../../src/ledger/records.ts";
import { Inspector } from "../../src/pi/inspector/inspector.ts";
import type { RunId } from "../../src/run/ids.ts";
import { LiveRuns } from "../../src/supervise/live-runs.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { theme } from "./row.ts";

const scratch = useScratch();
const ESC = "\x1b";
setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS));

const inspectors: Inspector[] = [];

beforeEach(
	() => void vi.useFakeTimers({ toFake: ["setInterval", "setTimeout", "clearTimeout", "clearInterval", "Date"] }),
);
afterEach(() => {
	for (const inspector of inspectors.splice(0)) inspector.dispose();
	vi.useRealTimers();
});

/** An inspector of one run of this session and one of another in the same folder. */
async function opened(width = 80) {
	const ledger = await scratch.ledger();
	const { plan } = admission();
	admitRun(ledger, admission({ mode: "background", label: "the queue" }));
	admitRun(ledger, admission({ mode: "background", label: "elsewhere", parentSession: "another" }));
	const sent: string[] = [];
	const drafts = new Map<RunId, string>();
	const open = () => {
		const inspector = new Inspector({
			tui: { terminal: { rows: 15 }, requestRender() {} } as unknown as TUI,
			theme,
			live: new LiveRuns(),
			parentSession: "parent",
			cwd: plan.cwd,
			drafts,
			sources: { ledger, redactor: createRedactor({ secrets: [], homeDir: "/home/ali" }) },
			lookAtPools: async () => [],
			actions: {
				changesState: () => "pending",
				message: async (_record: RunRecord, text: string) => {
					sent.push(text);
					return { notice: "Sent." };
				},
			} as never,
			done() {},
		});
		inspector.focused = true;
		inspectors.push(inspector);
		const screen = () => inspector.render(width).map(stripVTControlCharacters).join("\n");
		const press = (...keys: string[]) => {
			for (const key of keys) inspector.handleInput(key);
			return screen();
		};
		return { screen, press };
	};
	return { open, sent };
}

test("a draft survives esc and the inspector itself, and is gone when it was sent", async () => {
	const { open, sent } = await opened();
	const { press } = open();
	expect(press("m")).toContain('"the queue" (enter sends)');
	expect(press(..."only the", ESC)).toContain("m shows your draft again");
	expect(press("m")).toContain("only the");
	press(ESC);
	const again = open();
	expect(again.press("m", ..." tests")).toContain("only the tests");
	again.press("\r");
	expect(sent).toEqual(["only the tests"]);
	expect(again.press("m")).not.toContain("only");
});

test("what is being written, and what it is for, is drawn at all widths", async () => {
	const drawn: string[] = [];
	for (const width of [40, 80, 120]) {
		const { press } = (await opened(width)).open();
		press("m");
		drawn.push(press(..."Look at the tests first, and at the docs only if there is time left for them."));
	}
	const text = drawn
		.join("\n\n")
		.replaceAll(/ +$/gm, "")
		.replaceAll(/\b[0-9a-f]{8}\b/g, "1a2b3c4d");
	await expect(`${text}\n`).toMatchFileSnapshot("./snapshots/inspector-writing-a-message.txt");
});

test("questions name the run by its label", async () => {
	const { press } = (await opened()).open();
	expect(press("x")).toContain('"the queue"? y/n');
	press("n");
	expect(press("a")).toMatch(/the changes of \S+ "the queue".*\? y\/n/);
});

test("a notice disappears by itself, but not the line that says whom a message is for", async () => {
	const { press, screen } = (await opened()).open();
	expect(press("x", "n")).toContain("Not stopped.");
	vi.advanceTimersByTime(4_000);
	expect(screen()).toContain("Not stopped.");
	vi.advanceTimersByTime(4_000);
	expect(screen()).not.toContain("Not stopped.");
	press("m");
	vi.advanceTimersByTime(8_000);
	expect(screen()).toContain("(enter sends)");
});

test("s shows the runs of all sessions of this folder, and again those of this one", async () => {
	const { press, screen } = (await opened()).open();
	expect(screen()).toContain("the queue");
	expect(screen()).not.toContain("elsewhere");
	const all = press("s");
	expect(all).toContain("all sessions of this folder");
	expect(all).toContain("the queue");
	expect(all).toContain("elsewhere");
	expect(press("s")).not.toContain("elsewhere");
});
