import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { TUI } from "@earendil-works/pi-tui";
import { afterEach, expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { Inspector } from "../../src/pi/inspector/inspector.ts";
import { LiveRuns } from "../../src/supervise/live-runs.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";
import { theme } from "./row.ts";

const scratch = useScratch();
const KEYS = { pageUp: "\x1b[5~", pageDown: "\x1b[6~", home: "\x1b[H", end: "\x1b[F", enter: "\r", esc: "\x1b" };
const ROWS = 15;
const RUNS = 33;

const inspectors: Inspector[] = [];
afterEach(() => {
	for (const inspector of inspectors.splice(0)) inspector.dispose();
});

/** An inspector of many ended runs, the newest of which is #33, on a screen of 15 rows. */
async function open(width: number, outcome = success()) {
	const ledger = await scratch.ledger();
	const file = join(scratch.folder(), "session.jsonl");
	const content = Array.from({ length: 40 }, (_, n) => `verse ${n + 1}`).join("\n\n");
	const message = { role: "assistant", content: [{ type: "text", text: content }] };
	writeFileSync(file, `${JSON.stringify({ type: "message", id: "a", parentId: null, timestamp: "", message })}\n`);
	const hostId = readyHost(ledger, { profile: "p" });
	for (let at = 1; at <= RUNS; at++) {
		const { plan, ...rest } = admission({ at, mode: "background" });
		admitRun(ledger, { ...rest, plan: { ...plan, session: { ...plan.session, file } } });
	}
	for (const { run } of claimRuns(ledger, { hostId, profile: { digest: "p" }, at: 50, leaseMs: 1000, atMost: RUNS })) {
		endRun(ledger, { id: run.id, fence: run.fence, outcome, at: 60 });
	}
	const inspector = new Inspector({
		tui: { terminal: { rows: ROWS }, requestRender() {} } as unknown as TUI,
		theme,
		live: new LiveRuns(),
		parentSession: "parent",
		cwd: "/",
		drafts: new Map(),
		sources: { ledger, redactor: createRedactor({ secrets: [], homeDir: "/home/ali" }) },
		lookAtPools: async () => [],
		actions: {} as never,
		done() {},
	});
	inspector.focused = true;
	inspectors.push(inspector);
	const screen = () => inspector.render(width).map(stripVTControlCharacters).join("\n");
	screen();
	return {
		screen,
		press(...keys: string[]): string {
			for (const key of keys) {
				inspector.handleInput(key);
				screen();
			}
			return screen();
		},
	};
}

const selected = (screen: string) => Number(/▸. #(\d+)/.exec(screen)?.[1]);

test.each([60, 120])(
	"in the list, pages are pages of the list (%s columns), and a run is opened at its end",
	async (width) => {
		const { screen, press } = await open(width);
		expect(selected(screen())).toBe(RUNS);
		const next = selected(press(KEYS.pageDown));
		// A wide screen has two lines for a run that has answered.
		expect(RUNS - next).toBe(width < 80 ? ROWS - 3 : (ROWS - 3) / 2);
		expect(selected(press(" "))).toBeLessThan(next);
		expect(selected(press(KEYS.pageUp))).toBe(next);
		expect(selected(press(KEYS.end))).toBe(1);
		expect(selected(press(KEYS.home))).toBe(RUNS);
		const opened = press(KEYS.pageDown, KEYS.enter);
		expect(opened).toContain("verse 40");
		expect(opened).not.toContain("below");
	},
);

test("the list has the sentence of an error that a provider sent as JSON", async () => {
	const { screen } = await open(80, outcomeOf({}, { kind: "provider", message: "Slow down." }));
	expect(screen()).toMatch(/^ {4}Slow down\. *$/m);
	expect(screen()).not.toContain("{");
});

test("for a finished run, it says how much is below, and not that it could be followed", async () => {
	const { press } = await open(60);
	expect(press(KEYS.enter, KEYS.pageUp)).toMatch(/─ \d+ lines below $/m);
	expect(press(KEYS.home)).toContain("verse 1 ");
	expect(press(KEYS.end)).toContain("verse 40");
	// Another run is read from its own end.
	expect(press(KEYS.home, KEYS.esc, KEYS.end, KEYS.enter)).toContain("verse 40");
});

test.each([
	["?", "q, ctrl+c"],
	["i", "transcript "],
])("what %s shows begins at its beginning, says that there is more, and goes to its end", async (key, last) => {
	const { press } = await open(40);
	const first = press(key);
	expect(first).toMatch(/─ \d+ lines? below $/m);
	const end = press(KEYS.end);
	expect(end).not.toBe(first);
	expect(end).not.toMatch(/below/);
	expect(end).toContain(last);
	expect(press(KEYS.home)).toBe(first);
	expect(press(KEYS.pageDown, KEYS.pageDown, KEYS.pageDown, KEYS.pageDown, KEYS.pageDown)).toBe(end);
});
