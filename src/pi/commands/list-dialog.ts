import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import { type Component, matchesKey, type SelectItem, SelectList } from "@earendil-works/pi-tui";
import { columnsOf, cutTo, wrapTo } from "../../operate/report/layout.ts";
import { fitted, pack } from "../view/fitted.ts";

/** The lines around the list: its title, its hint, and pi's own lines below. */
const OTHER_LINES = 12;
const FEWEST_ROWS = 3;
const NAME_COLUMN = { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 50 };
/** How pi's list divides a line: a mark before the name, a gap after it, and unused columns. */
const BEFORE_NAMES = 2;
const AFTER_NAMES = 2;
const LEFT_FREE = 2;
/** Up to these widths, of the line and of the room for descriptions, pi's list shows only names. */
const ONLY_NAMES_UP_TO = 40;
const NO_DESCRIPTION_UP_TO = 10;
/** If the list shows only names, the description of the selected one takes this many lines below the list. */
const LINES_BELOW = 2;

/**
 * A scrolling list to choose from; pi's own dialog shows all lines at once. Typing filters it. Returns the value of the
 * chosen item.
 */
export function chooseFrom(
	ctx: ExtensionContext,
	title: string,
	items: readonly SelectItem[],
	/** The value of the item that is selected at first. */
	first?: string,
): Promise<string | undefined> {
	return ctx.ui.custom<string | undefined>((tui, theme, _keybindings, done) => {
		const rows = Math.max(FEWEST_ROWS, tui.terminal.rows - OTHER_LINES);
		const dialog = new ListDialog({ title, items, theme, rows, done, repaint: () => tui.requestRender() });
		if (first !== undefined) dialog.select(first);
		return dialog;
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
	#rows: SelectItem[] = [];
	#list: SelectList;

	constructor(setup: ListDialogSetup) {
		this.#setup = setup;
		this.#list = this.#filtered();
	}

	select(value: string): void {
		this.#list.setSelectedIndex(this.#rows.findIndex((row) => row.value === value));
	}

	render(width: number): string[] {
		const { title, theme } = this.#setup;
		const filter = this.#typed === "" ? "type to filter" : `filter: ${this.#typed}`;
		return fitted((columns) => {
			const room = roomForDescriptions(this.#rows, columns);
			this.#cutDescriptions(room);
			return [
				theme.fg("accent", theme.bold(title)),
				"",
				...this.#list.render(columns),
				"",
				...(room > 0 ? [] : this.#descriptionBelow(columns)),
				...pack([filter, "Enter selects", "Esc closes", "↑↓ move"], " · ", columns).map((line) =>
					theme.fg("dim", line),
				),
			];
		}).render(width);
	}

	/** pi's list cuts them too, but does not mark the cut. */
	#cutDescriptions(room: number): void {
		for (const row of this.#rows) row.description = cutTo(room, this.#descriptionOf(row));
	}

	/** Always takes the same number of lines, so that nothing moves when the user selects another item. */
	#descriptionBelow(columns: number): string[] {
		const selected = this.#list.getSelectedItem();
		if (!selected) return [];
		const lines = wrapTo(columns, this.#descriptionOf(selected));
		const last = cutTo(columns, lines.slice(LINES_BELOW - 1).join(" "));
		return [...lines.slice(0, LINES_BELOW - 1), last].map((line) => this.#setup.theme.fg("muted", line));
	}

	#descriptionOf({ value }: SelectItem): string {
		return this.#setup.items.find((item) => item.value === value)?.description ?? "";
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
		this.#rows = matching.map((item) => ({ ...item }));
		const list = new SelectList(
			this.#rows,
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

/** How wide descriptions can be beside the names; 0 where there are only names. */
function roomForDescriptions(rows: readonly SelectItem[], columns: number): number {
	const { minPrimaryColumnWidth: least, maxPrimaryColumnWidth: most } = NAME_COLUMN;
	const widest = Math.max(0, ...rows.map(({ label }) => columnsOf(label))) + AFTER_NAMES;
	const room = columns - BEFORE_NAMES - Math.min(most, Math.max(least, widest)) - LEFT_FREE;
	return columns > ONLY_NAMES_UP_TO && room > NO_DESCRIPTION_UP_TO ? room : 0;
}
