import { stripVTControlCharacters } from "node:util";
import { CustomMessageComponent, initTheme, type MessageRenderer } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import { announceCard } from "../../src/pi/view/announce-card.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import fc from "../helpers/fast-check.ts";
import { theme } from "./row.ts";

type Message = Parameters<MessageRenderer>[0];

const details = asItIs<AnnounceDetails>({
	version: 1,
	announceId: "1a2b3c4d",
	runId: "1a2b3c4d",
	sessionKey: "agent:main:subagent:0199c0de-7a11-7000-8000-00000000beef",
	sessionId: "0199c0de-7a11-7000-8000-00000000beef",
	agent: "explorer",
	label: "where auth is registered",
	status: "success",
	cause: "finalized",
	task: "Find where auth is registered.",
	result: `**Answer**: \`registerAuth\` is called in src/server/auth.ts:12, and nowhere else.

- src/server/auth.ts:12 calls it
- src/server/index.ts:4 imports the module

Nothing else was found.

Uncertain: nothing.`,
	durationMs: 312_000,
	usage: { input: 10_100, output: 2_200, cacheRead: 0, cacheWrite: 0, cost: 0.12, turns: 3 },
	model: "anthropic/claude-haiku",
	transcript: "/home/ada/.pi/subagent-sessions/ab12/explorer_0199c0de-7a11-7000-8000-00000000beef.jsonl",
});
const { result: _result, label: _label, ...failed } = details;
const findings = "It did not finish within 300 s.\nPartial findings:\nauth.ts looks right,\nindex.ts too,\nrest unseen";

const cards: Record<string, unknown> = {
	done: details,
	"done with a warning": { ...details, result: "Short.", notes: "The model x/y is not known; the default was used." },
	"timed out": { ...failed, status: "timeout", cause: "timeout", notes: findings },
	"kept in a ring": {
		...details,
		sandbox: { enforced: "kernel", by: "bwrap", write: "worktree", network: "off", denials: 2 },
	},
	"limited by policy only": {
		...{ ...failed, status: "timeout", cause: "timeout", notes: findings },
		sandbox: { enforced: "policy", why: "bwrap is missing", write: "none", network: "on" },
	},
	stopped: { ...failed, status: "error", cause: "stopped", reason: "stopped", notes: "Stopped by the user." },
	lost: { ...failed, status: "unknown", cause: "lost", notes: "Its host died, and no attempts are left." },
	"of another version": { ...details, version: 99 },
};

const messageWith = (given: unknown, content: unknown = "Status: success\nResult: All is well."): Message =>
	({ role: "custom", customType: "pi-geon:announce", content, display: true, details: given }) as unknown as Message;

function draw(message: Message, { width, expanded, outputPad = 1 }: Look): string[] {
	return announceCard(message, { expanded, outputPad }, theme)?.render(width) ?? [];
}

interface Look {
	width: number;
	expanded: boolean;
	outputPad?: number;
}

describe.each(Object.entries(cards))("the card of a run that is %s", (name, given) => {
	test.each([false, true])("expanded: %s, with both themes", async (expanded) => {
		const file = `./snapshots/announce-${name.replaceAll(" ", "-")}${expanded ? ".expanded" : ""}.txt`;
		for (const themeName of ["light", "dark"]) {
			initTheme(themeName);
			const drawn = [40, 80, 120].map((width) => picture(draw(messageWith(given), { width, expanded }), width));
			await expect(drawn.join("\n")).toMatchFileSnapshot(file);
		}
	});

	test("fits every width in pi's own frame", () => {
		for (let width = 4; width <= 130; width++) {
			const row = new CustomMessageComponent(messageWith(given), announceCard);
			row.setExpanded(width % 2 === 0);
			for (const line of row.render(width)) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
		}
	});
});

/** The lines without the frame's empty ones, between marks as wide as the terminal. */
function picture(lines: readonly string[], width: number): string {
	const text = lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n");
	return `${`--${width}`.padEnd(width, "-")}\n${text.replace(/^\n+|\n+$/g, "")}\n`;
}

const nastyText = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				"\x1b[31m",
				"\x1b[2J",
				"\x1b]0;title\x07",
				"\x1b",
				"\x9b31m",
				"\r",
				"\n",
				"\t",
				"\u2028",
				"\u202e",
			),
			fc.constantFrom(
				"\ud800",
				"漢字",
				"👩‍👩‍👧‍👦",
				"ก็ำ",
				"x".repeat(200),
				"# T\n",
				"- a\n  - b\n",
				"```\ncode\n",
				"| a |\n|---|\n",
			),
			fc.string({ unit: "binary", maxLength: 20 }),
		),
		{ maxLength: 25 },
	)
	.map((pieces) => pieces.join(""));
const anything = fc.anything({
	withBigInt: true,
	withDate: true,
	withMap: true,
	withNullPrototype: true,
	withSet: true,
});
const amount = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(-1, 1e300, Number.NaN));
const nastyDetails = fc.record({
	version: fc.constantFrom(undefined, 0, 1),
	agent: nastyText,
	label: nastyText,
	status: fc.constantFrom("success", "error", "timeout", "unknown"),
	cause: fc.constantFrom("finalized", "lost", "budget", undefined),
	task: nastyText,
	result: nastyText,
	notes: nastyText,
	durationMs: amount,
	usage: fc.record({ input: amount, output: amount, cost: amount, turns: amount }),
	sandbox: fc.record({
		enforced: fc.constantFrom("kernel", "policy"),
		by: nastyText,
		why: nastyText,
		write: fc.constantFrom("none", "worktree", "checkout"),
		network: fc.constantFrom("off", "on", "allowlist"),
		policyOnly: fc.array(nastyText, { maxLength: 3 }),
	}),
	model: nastyText,
	sessionKey: nastyText,
	transcript: nastyText,
});
const halfKnown = fc.record({
	version: fc.oneof(fc.constantFrom(undefined, 0, 1), anything),
	cause: anything,
	agent: fc.oneof(nastyText, anything),
	label: anything,
	status: anything,
	result: anything,
	notes: anything,
	usage: anything,
	sandbox: anything,
	durationMs: anything,
});
const look = fc.record({
	width: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(40, 80, 120)),
	expanded: fc.boolean(),
	outputPad: fc.integer({ min: 0, max: 3 }),
});

test("whatever was stored, nothing is thrown, and no line is wider than the terminal", () => {
	const stored = fc.oneof(nastyDetails, halfKnown, anything);
	fc.assert(
		fc.property(stored, fc.oneof(nastyText, anything), look, (given, content, how) => {
			// One question for all lines: one for each would take longer than to draw them.
			const tooWide = draw(messageWith(given, content), how).filter((line) => visibleWidth(line) > how.width);
			expect(tooWide).toEqual([]);
		}),
		{ numRuns: 1000 },
	);
});

const ESC = "\x1b";
const COLOUR = new RegExp(`${ESC}\\[[\\d;]*m`, "g");
const LINK = new RegExp(`${ESC}\\]8;;[^${ESC}]*${ESC}\\\\`, "g");

test("nothing of what a child wrote but text reaches the terminal", () => {
	fc.assert(
		fc.property(nastyDetails, fc.boolean(), (given, expanded) => {
			const drawn = draw(messageWith(given), { width: 80, expanded });
			const rest = drawn.map((line) => line.replaceAll(COLOUR, "").replaceAll(LINK, ""));
			expect(rest.filter((line) => /[\p{Cc}\p{Bidi_Control}]/u.test(line))).toEqual([]);
		}),
		{ numRuns: 300 },
	);
});
