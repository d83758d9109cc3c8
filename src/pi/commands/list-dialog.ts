import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import { type Component, matchesKey, type SelectItem, SelectList } from "@earendil-works/pi-tui";
import { fitted } from "../view/fitted.ts";

/** What stands around the list: its title, its hint, and pi's own lines below. */
const OTHER_LINES = 12;
const FEWEST_ROWS = 3;
const NAME_COLUMN = { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 50 };

/**
 * A list to choose from that scrolls, where pi's own dialog shows all lines at once. Typing filters it. Answers the value
 * of the chosen item.
 */
export function chooseFrom(
	ctx: ExtensionContext,
	title: string,
	items: readonly SelectItem[],
): Promise<string | undefined> {
	return ctx.ui.custom<string | undefined>((tui, theme, _keybindings, done) => {
		const rows = Math.max(FEWEST_ROWS, tui.terminal.rows - OTHER_LINES);
		return new ListDialog({ title, items, theme, rows, done, repaint: () => tui.requestRender() });
	});
}

interface ListDialogSetup {
	title: string;
	items: readonly SelectItem[];
	theme: Theme;
	rows: number;
	done(value: string | undefined): void;
	repaint(): void;
}

class ListDialog implements Component {
	readonly #setup: ListDialogSetup;
	#typed = "";
	#list: SelectList;

	constructor(setup: ListDialogSetup) {
		this.#setup = setup;
		this.#list = this.#filtered();
	}

	render(width: number): string[] {
		const { title, theme } = this.#setup;
		const filter = this.#typed === "" ? "type to filter" : `filter: ${this.#typed}`;
		return fitted((columns) => [
			theme.fg("accent", theme.bold(title)),
			"",
			...this.#list.render(columns),
			"",
			theme.fg("dim", `${filter} · Enter chooses · Esc closes · ↑↓ move`),
		]).render(width);
	}

	invalidate(): void {
		this.#list.invalidate();
	}

	handleInput(data: string): void {
		if (matchesKey(data, "backspace")) this.#filter(this.#typed.slice(0, -1));
		else if (/^[\w. -]+$/.test(data)) this.#filter(this.#typed + data);
		else this.#list.handleInput(data);
		this.#setup.repaint();
	}

	#filter(typed: string): void {
		this.#typed = typed;
		this.#list = this.#filtered();
	}

	#filtered(): SelectList {
		const { items, theme, rows, done } = this.#setup;
		const matching = items.filter(({ label }) => label.toLowerCase().includes(this.#typed.toLowerCase()));
		const list = new SelectList(
			matching,
			rows,
			{
				selectedPrefix: (text) => theme.fg("accent", text),
				selectedText: (text) => theme.fg("accent", text),
				description: (text) => theme.fg("muted", text),
				scrollInfo: (text) => theme.fg("dim", text),
				noMatch: () => theme.fg("dim", "  Nothing matches"),
			},
			NAME_COLUMN,
		);
		list.onSelect = ({ value }) => done(value);
		list.onCancel = () => done(undefined);
		return list;
	}
}
