import { readXml } from "./xml.ts";

/** The effect of a style on a paragraph. */
export interface WordStyle {
	/** 1 to 6; 0: not a heading. */
	level: number;
	isCode: boolean;
	/** An item of a list, or the empty text. */
	item: "- " | "";
}

const CODE_NAME = /code|preformatted|verbatim|listing|\bsource\b|macro text/i;
const MONOSPACE = /courier|consolas|mono\b|monaco|menlo|lucida console|source code|fira code|cascadia|inconsolata/i;

export const isMonospace = (font: string | undefined): boolean => font !== undefined && MONOSPACE.test(font);

/** The styles of a document, by their ids: the ids may be in any language, the names of Word's own styles are English. */
export function readStyles(bytes: Buffer | undefined): Map<string, WordStyle> {
	const styles = new Map<string, WordStyle>();
	const basedOn = new Map<string, string>();
	let id = "";
	readXml(bytes, {
		open: (tag, attributes) => {
			const value = attributes["w:val"] ?? "";
			if (tag === "w:style") {
				id = attributes["w:styleId"] ?? "";
				styles.set(id, styleByName(id));
			}
			const style = styles.get(id);
			if (!style) return;
			if (tag === "w:name") Object.assign(style, inherited(style, styleByName(value)));
			else if (tag === "w:outlineLvl" && Number(value) < 6) style.level ||= Number(value) + 1;
			else if (tag === "w:rFonts") style.isCode ||= isMonospace(attributes["w:ascii"]);
			else if (tag === "w:numPr") style.item = "- ";
			else if (tag === "w:basedOn") basedOn.set(id, value);
		},
		close: (tag) => {
			if (tag === "w:style") id = "";
		},
	});
	for (const [child, parent] of basedOn) {
		const [own, base] = [styles.get(child), styles.get(parent)];
		if (own && base) Object.assign(own, inherited(own, base));
	}
	return styles;
}

export function styleByName(name: string): WordStyle {
	const level = /^title$/i.test(name) ? "1" : /^heading\s?([1-6])$/i.exec(name)?.[1];
	return {
		level: Number(level ?? 0),
		isCode: CODE_NAME.test(name),
		item: /^list (bullet|number)/i.test(name) ? "- " : "",
	};
}

const inherited = (own: WordStyle, other: WordStyle): WordStyle => ({
	level: own.level || other.level,
	isCode: own.isCode || other.isCode,
	item: own.item || other.item,
});
