import { stripVTControlCharacters } from "node:util";
import { initTheme, type MessageRenderer } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { stoppedLine } from "../../src/pi/view/stopped-line.ts";
import fc from "../helpers/fast-check.ts";
import { theme } from "./row.ts";

type Message = Parameters<MessageRenderer>[0];

const usage = { input: 10_100, output: 2_200, cacheRead: 0, cacheWrite: 0, cost: 0.12, turns: 3 };
const stopped = (runId: string, label: string, notes?: string[]) => ({
	...{ announceId: runId, runId, agent: "explorer", label, usage, model: "anthropic/claude-haiku" },
	...(notes && { notes }),
});
const several = [stopped("1a2b3c4d", "where auth is registered"), stopped("2b3c4d5e", "tests")];
const told: Record<string, unknown> = {
	one: { version: 0, runs: several.slice(0, 1) },
	several: { version: 0, runs: [...several, stopped("3c4d5e6f", "the last", ["It changed 2 files (+8 -1)."])] },
	"of another version": { version: 99 },
};

const draw = (details: unknown, width: number, expanded: boolean): string[] => {
	const message = { role: "custom", customType: "pi-geon:stopped", content: "The user stopped runs.", display: true };
	const shown = stoppedLine({ ...message, details } as unknown as Message, { expanded, outputPad: 1 }, theme);
	return shown?.render(width) ?? [];
};

describe.each(Object.entries(told))("what the user stopped: %s", (name, details) => {
	test.each([
		[false, "light"],
		[true, "light"],
		[false, "dark"],
		[true, "dark"],
	])("expanded: %s, with the %s theme", async (expanded, themeName) => {
		initTheme(themeName);
		const drawn = [40, 80, 120].map((width) => {
			const lines = draw(details, width, expanded).map((line) => stripVTControlCharacters(line).trimEnd());
			return `${`--${width}`.padEnd(width, "-")}\n${lines.join("\n")}\n`;
		});
		const file = `./snapshots/stopped-${name.replaceAll(" ", "-")}${expanded ? ".expanded" : ""}.txt`;
		await expect(drawn.join("\n")).toMatchFileSnapshot(file);
	});
});

test("expanded, it says whether the kernel enforced the limits of each run", () => {
	const sandbox = { enforced: "kernel", write: "none", network: "off" };
	const runs = [{ ...stopped("1a2b3c4d", "tests"), sandbox }, stopped("2b3c4d5e", "docs")];
	const lines = draw({ version: 0, runs }, 120, true).map((line) => stripVTControlCharacters(line));
	expect(lines.map((line) => line.includes("kernel-enforced"))).toEqual([false, true, false]);
});

test("however many there are, it is one line", () => {
	const runs = Array.from({ length: 50 }, (_, index) => stopped(`${10_000_000 + index}`, `label ${index}`));
	for (const width of [20, 40, 80, 120]) expect(draw({ version: 0, runs }, width, false)).toHaveLength(1);
});

test("whatever was stored, it is drawn, and no line is too wide", () => {
	const run = fc.record({ agent: fc.anything(), label: fc.string({ unit: "binary" }), notes: fc.anything() });
	fc.assert(
		fc.property(fc.oneof(fc.anything(), fc.array(fc.oneof(run, fc.anything()))), fc.boolean(), (runs, expanded) => {
			for (const width of [4, 40]) {
				for (const line of draw({ version: 0, runs }, width, expanded)) {
					expect(visibleWidth(line)).toBeLessThanOrEqual(width);
				}
			}
		}),
	);
});
