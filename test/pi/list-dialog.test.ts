import { stripVTControlCharacters } from "node:util";
import { type ExtensionContext, initTheme, type Theme } from "@earendil-works/pi-coding-agent";
import { type Component, type SelectItem, type TUI, visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { chooseFrom } from "../../src/pi/commands/list-dialog.ts";
import { theme } from "./row.ts";

const item = (label: string, description: string): SelectItem => ({ value: label, label, description });

/** As `/subagents agents` and `/subagents settings` fill them. */
const screens: Record<string, { title: string; items: SelectItem[]; typed?: string }> = {
	agents: {
		title: "Agents, and what each gets here",
		items: [
			item("explorer", "builtin · Finds files, symbols, call chains and structure in this codebase."),
			item("note-taker", "user · off"),
			item("worker", "builtin · Makes a change and tests it."),
		],
	},
	settings: {
		title: "pi-geon settings, in ~/.pi/agent/pi-geon.json",
		items: Array.from({ length: 40 }, (_, index) => item(`subagents.setting${index}`, `${index}000 (default)`)),
	},
	"settings filtered": {
		title: "pi-geon settings, in ~/.pi/agent/pi-geon.json",
		items: [item("subagents.timeoutMs", "60000 (yours)"), item("ui.widget", "true")],
		typed: "wid",
	},
};

type Make = (tui: TUI, theme: Theme, keys: undefined, done: () => void) => Component;

function open({ title, items, typed = "" }: (typeof screens)[string]): Component {
	let screen: Component | undefined;
	const custom = (make: Make) => {
		const tui = { requestRender() {}, terminal: { rows: 24 } } as unknown as TUI;
		screen = make(tui, theme, undefined, () => {});
	};
	void chooseFrom({ ui: { custom } } as unknown as ExtensionContext, title, items);
	if (!screen) return expect.fail("nothing was shown");
	for (const letter of typed) screen.handleInput?.(letter);
	return screen;
}

describe.each(Object.entries(screens))("the screen of %s", (name, given) => {
	test.each(["light", "dark"])("is drawn at all widths, with the %s theme", async (themeName) => {
		initTheme(themeName);
		const screen = open(given);
		const drawn = [40, 80, 120].map((width) => {
			const lines = screen.render(width);
			for (const line of lines) expect(visibleWidth(line), line).toBeLessThanOrEqual(width);
			const text = lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n");
			return `${`--${width}`.padEnd(width, "-")}\n${text}\n`;
		});
		await expect(drawn.join("\n")).toMatchFileSnapshot(`./snapshots/list-${name.replaceAll(" ", "-")}.txt`);
	});
});
