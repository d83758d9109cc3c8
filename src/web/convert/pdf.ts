import { extractText, getDocumentProxy, getMeta } from "unpdf";
import type { Converted } from "./converted.ts";

/** The text of a PDF, page by page. */
export async function pdfToText(bytes: Uint8Array): Promise<Converted> {
	const document = await getDocumentProxy(bytes);
	const { text } = await extractText(document, { mergePages: false });
	const { info } = await getMeta(document);
	const title: unknown = info.Title;
	return {
		text: text.map((page) => page.trim()).join("\n\n"),
		...(typeof title === "string" && title.trim() !== "" && { title: title.trim() }),
	};
}
