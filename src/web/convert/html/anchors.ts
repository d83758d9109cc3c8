/** Noncharacters of Unicode, which no text has: they mark where an element with an id begins, until the text is whole. */
const OPEN = "\ufdd0";
const CLOSE = "\ufdd1";
const MARKS = new RegExp(`${OPEN}(\\d+)${CLOSE}`, "g");
const STRANGERS = new RegExp(`[${OPEN}${CLOSE}]`, "g");

const MOST_ANCHORS = 10_000;
const LONGEST_ID = 200;

/** Where the parts of a page begin that a link can point to: offsets in its text by id. */
export type AnchorOffsets = Record<string, number>;

/** Keeps positions while a text is made: formatting moves them along with the words beside them. */
export class Anchors {
	readonly #ids: string[] = [];

	markOf(id: string | undefined): string {
		if (id === undefined || id === "" || id.length > LONGEST_ID || this.#ids.length >= MOST_ANCHORS) return "";
		this.#ids.push(id);
		return `${OPEN}${this.#ids.length - 1}${CLOSE}`;
	}

	/** The text without marks, and their positions. The first mark of an id counts. */
	settle(marked: string): { text: string; anchors: AnchorOffsets } {
		const anchors = Object.create(null) as AnchorOffsets;
		let text = "";
		let from = 0;
		for (const match of marked.matchAll(MARKS)) {
			text += marked.slice(from, match.index);
			from = match.index + match[0].length;
			const id = this.#ids[Number(match[1])] ?? "";
			anchors[id] ??= text.length;
		}
		return { text: text + marked.slice(from), anchors: { ...anchors } };
	}
}

export const withoutMarks = (text: string): string => text.replace(STRANGERS, "");
/** Marks are not words: a text of only marks is empty. */
export const isBlank = (marked: string): boolean => marked.replace(MARKS, "").trim() === "";
