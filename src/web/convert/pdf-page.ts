import type { getDocumentProxy } from "unpdf";

export type PdfPage = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;

export interface PdfText {
	lines: string[];
	/** The text of each part that a tag of the file refers to. */
	byTag: ReadonlyMap<string, string>;
}

/** What is written on a page, in the order of the file. */
export async function readPageText(page: PdfPage): Promise<PdfText> {
	const { items } = await page.getTextContent({ includeMarkedContent: true });
	const byTag = new Map<string, string>();
	const open: (string | undefined)[] = [];
	let text = "";
	for (const item of items) {
		if ("str" in item) {
			const words = item.str + (item.hasEOL ? "\n" : "");
			text += words;
			const tag = open.findLast((id) => id !== undefined);
			if (tag !== undefined) byTag.set(tag, (byTag.get(tag) ?? "") + words);
		} else if (item.type === "endMarkedContent") open.pop();
		else open.push(item.type === "beginMarkedContentProps" ? item.id : undefined);
	}
	return { lines: text.split("\n"), byTag };
}
