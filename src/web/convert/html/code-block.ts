import { fenced } from "../fence.ts";
import { isOneOf, isPageElement, type PageElement, rawText } from "./tree.ts";

const LANGUAGE =
	/(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*|sourceCode\s+|src-)([a-z][\w+#-]{0,20})/i;
/** Names that highlighters use for an unknown language. */
const NO_LANGUAGE = new Set(["none", "default", "text", "plain", "plaintext", "notranslate", "highlight", "output"]);

/** Elements beside the code, not part of it. */
const GUTTER = new Set(".lineno .linenos .linenumber .line-numbers .line-number .gutter .gl .ln button".split(" "));

export function codeBlock(pre: PageElement): string {
	const code = rawText(pre, (element) => isOneOf(element, GUTTER)).replace(/\r\n?/g, "\n");
	return code.trim() === "" ? "" : fenced(code, languageOf(pre));
}

/** The language, from the classes of the block, of the code in it, or of the boxes that highlighters put around it. */
function languageOf(pre: PageElement): string {
	const inside = pre.children.filter(isPageElement).filter(({ name }) => name === "code");
	const around: PageElement[] = [];
	for (let at = pre.parent; around.length < 2 && at && isPageElement(at as PageElement); at = at.parent) {
		around.push(at as PageElement);
	}
	for (const { attribs } of [...inside, pre, ...around]) {
		const said = attribs["data-lang"] ?? attribs["data-language"] ?? LANGUAGE.exec(attribs.class ?? "")?.[1];
		const language = said?.toLowerCase().replace(/^(python)3$/, "$1");
		if (language !== undefined && /^[a-z][\w+#-]*$/.test(language) && !NO_LANGUAGE.has(language)) return language;
	}
	return "";
}

/** In a table that only puts numbers beside lines: the cell with the code. */
export function codeCell(cells: readonly PageElement[]): PageElement | undefined {
	const numbers = cells.filter(
		(cell) => isOneOf(cell, GUTTER) || /\b(rouge-gutter|blob-num)\b/.test(cell.attribs.class ?? ""),
	);
	return numbers.length === 1 && cells.length === 2 ? cells.find((cell) => cell !== numbers[0]) : undefined;
}
