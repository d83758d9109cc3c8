import { stripVTControlCharacters } from "node:util";
import {
	type ExtensionContext,
	ExtensionEditorComponent,
	ExtensionInputComponent,
	ExtensionSelectorComponent,
	type Theme,
} from "@earendil-works/pi-coding-agent";
import {
	type Component,
	getKeybindings,
	KeybindingsManager,
	setKeybindings,
	Text,
	type TUI,
	TUI_KEYBINDINGS,
	visibleWidth,
} from "@earendil-works/pi-tui";
import { expect } from "vitest";
import { theme } from "./row.ts";

type Make = (tui: TUI, theme: Theme, keys: KeybindingsManager, done: () => void) => Component;

const tui = { requestRender() {}, terminal: { rows: 24, columns: 80 } } as unknown as TUI;

/** Those of pi that its dialogs name. */
const keys = new KeybindingsManager({
	...TUI_KEYBINDINGS,
	"app.editor.external": { defaultKeys: "ctrl+g", description: "" },
});

/** What a user of a terminal of this width sees who gives these answers, one after the other: pi's own dialogs, and notices. */
export async function dialogsSeen(
	{ width, answers }: { width: number; answers: readonly (string | undefined)[] },
	work: (ctx: ExtensionContext) => Promise<unknown>,
): Promise<string> {
	const screens: string[] = [];
	const left = [...answers];
	const draw = (component: Component) => {
		const lines = component.render(width);
		for (const line of lines) expect(visibleWidth(line), line).toBeLessThanOrEqual(width);
		screens.push(lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n"));
	};
	const answered = (component: Component) => {
		draw(component);
		expect(left, "the user has no answer to this").not.toEqual([]);
		return Promise.resolve(left.shift());
	};
	const ui = {
		custom: (make: Make) => answered(make(tui, theme, keys, () => {})),
		select(title: string, options: string[]) {
			if (left[0] !== undefined) expect(options).toContain(left[0]);
			return answered(new ExtensionSelectorComponent(title, options, ignored, ignored));
		},
		input: (title: string, hint?: string) => answered(new ExtensionInputComponent(title, hint, ignored, ignored)),
		editor: (title: string, text: string) =>
			answered(new ExtensionEditorComponent(tui, keys as never, title, text, ignored, ignored)),
		notify: (text: string) => draw(new Text(text, 1, 0)),
	};
	const ctx = { mode: "tui", hasUI: true, ui, cwd: "shop", isProjectTrusted: () => false };
	await atWidth(width, () => work(ctx as unknown as ExtensionContext));
	expect(left, "the user was not asked for this").toEqual([]);
	return `${`--${width}`.padEnd(width, "-")}\n${screens.join("\n\n")}\n`.replaceAll("\\", "/");
}

const ignored = () => {};

async function atWidth(width: number, work: () => Promise<unknown>): Promise<void> {
	const before = Object.getOwnPropertyDescriptor(process.stdout, "columns");
	const keysBefore = getKeybindings();
	Object.defineProperty(process.stdout, "columns", { value: width, configurable: true });
	setKeybindings(keys);
	try {
		await work();
	} finally {
		setKeybindings(keysBefore);
		if (before) Object.defineProperty(process.stdout, "columns", before);
		else Reflect.deleteProperty(process.stdout, "columns");
	}
}
