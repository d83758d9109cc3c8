import { stripVTControlCharacters } from "node:util";
import { initTheme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { fitted } from "../../src/pi/view/fitted.ts";
import { type WidgetRow, type WidgetView, widgetLines } from "../../src/pi/view/widget-lines.ts";
import { assignSlots } from "../../src/pi/view/widget-slots.ts";
import { hostile } from "./hostile.ts";
import { theme } from "./row.ts";

const NOW = 1_000_000;
const WIDTHS = [40, 60, 80, 120];

const row = (change: Partial<WidgetRow>): WidgetRow => ({
	agent: "explorer",
	title: "the auth hunt",
	look: "running",
	doing: "grep registerAuth",
	startedAt: NOW - 72_000,
	endedAt: undefined,
	tokens: 14_555,
	cost: 0.0213,
	...change,
});

const views: Record<string, WidgetView> = {
	usual: {
		rows: [
			row({}),
			row({ agent: "reviewer", title: "src/queue.ts", doing: "read src/queue.ts", startedAt: NOW - 3_000, cost: 0 }),
			row({
				agent: "tester",
				title: "Run the tests of the queue and say which fail",
				look: "stopping",
				doing: "stopping",
			}),
			row({ look: "finished", doing: "finished", endedAt: NOW - 10_000 }),
			row({ look: "queued", doing: "queued · 2 ahead", startedAt: undefined, tokens: 0, cost: 0 }),
		],
		more: { running: 3, queued: 4 },
		hint: "alt+s to view",
	},
	hostile: {
		rows: Object.values(hostile).map((text) => row({ agent: text, title: text, doing: text })),
		more: { running: 0, queued: 0 },
		hint: "alt+s to view",
	},
};

describe.each(Object.entries(views))("the widget, %s", (name, view) => {
	test.each(["light", "dark"])("is drawn at all widths, with the %s theme", async (themeName) => {
		initTheme(themeName);
		const drawn = WIDTHS.map((width) => {
			const lines = widgetLines(view, { theme, width, now: NOW }).map((line) => stripVTControlCharacters(line));
			return `${`--${width}`.padEnd(width, "-")}\n${lines.map((line) => line.trimEnd()).join("\n")}\n`;
		});
		await expect(drawn.join("\n")).toMatchFileSnapshot(`./snapshots/widget-${name}.txt`);
	});

	test("is as high as it has rows, and never wider than the screen", () => {
		for (let width = 1; width <= 130; width++) {
			const lines = fitted((columns) => widgetLines(view, { theme, width: columns, now: NOW })).render(width);
			expect(lines).toHaveLength(view.rows.length + 1);
			for (const line of lines) expect(visibleWidth(line), line).toBeLessThanOrEqual(width);
		}
	});
});

describe("the lines of the widget", () => {
	const assign = (slots: string[], open: string[], ended: string[] = [], capacity = 3) =>
		assignSlots(slots, { open, hasEnded: (id) => ended.includes(id), capacity });

	test("are taken in order, as many as there are", () => {
		expect(assign([], ["a", "b", "c", "d"])).toEqual(["a", "b", "c"]);
	});

	test("stay with their run when another ends", () => {
		expect(assign(["a", "b", "c"], ["b", "c"], ["a"])).toEqual(["a", "b", "c"]);
	});

	test("of ended runs go to those that have none, and others do not move", () => {
		expect(assign(["a", "b", "c"], ["b", "d", "e"], ["a", "c"])).toEqual(["d", "b", "e"]);
	});

	test("are fewer when the screen becomes small", () => {
		expect(assign(["a", "b", "c"], ["a", "b", "c"], [], 2)).toEqual(["a", "b"]);
	});
});
