import type { Page } from "./process-state.ts";

export interface OutlineEntry {
	at: number;
	level: number;
	title: string;
}

const MOST_ENTRIES_SHOWN = 40;
const LONGEST_TITLE = 80;

/** Whether lines with number signs are headings in this kind of document. In code, they are comments. */
const isStructured = ({ kind, source }: Page): boolean =>
	!["text", "json", "csv", "tsv", "rtf"].includes(kind) ||
	(kind === "text" && /\.(md|markdown)([?#].*)?$/i.test(source));

/** The headings of a page and their positions, outside code. A PDF without headings has its pages. */
export function outlineOf(page: Page): OutlineEntry[] {
	if (!isStructured(page)) return [];
	const headings: OutlineEntry[] = [];
	const pages: OutlineEntry[] = [];
	let fence = "";
	let at = 0;
	for (const line of page.text.split("\n")) {
		const ticks = /^\s*(`{3,})/.exec(line)?.[1] ?? "";
		if (ticks !== "" && (fence === "" || ticks.length >= fence.length)) fence = fence === "" ? ticks : "";
		const [, signs = "", title = ""] = (fence === "" && /^(#{1,6}) +(\S.*)$/.exec(line)) || [];
		if (signs !== "") headings.push({ at, level: signs.length, title: title.slice(0, LONGEST_TITLE) });
		else if (page.kind === "pdf" && /^\[Page \d+\]$/.test(line)) pages.push({ at, level: 1, title: line });
		at += line.length + 1;
	}
	return headings.length > 0 ? headings : pages;
}

/** The outline in lines, down to the level that fits. */
export function outlineLines(entries: readonly OutlineEntry[]): string[] {
	if (entries.length < 2) return [];
	const fits = [6, 5, 4, 3, 2, 1].find((level) => shallow(entries, level).length <= MOST_ENTRIES_SHOWN) ?? 1;
	const shown = shallow(entries, fits);
	const lines = shown.slice(0, MOST_ENTRIES_SHOWN).map(({ at, level, title }) => `${at} ${"#".repeat(level)} ${title}`);
	const left = entries.length - lines.length;
	return ["Outline (offset, heading):", ...lines, ...(left > 0 ? [`(${left} more headings are not listed)`] : []), ""];
}

const shallow = (entries: readonly OutlineEntry[], deepest: number): OutlineEntry[] =>
	entries.filter(({ level }) => level <= deepest);
