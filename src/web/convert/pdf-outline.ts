import type { getDocumentProxy } from "unpdf";

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
type Outline = Awaited<ReturnType<PdfDocument["getOutline"]>>;

export interface PdfHeading {
	/** In small letters, with single spaces. */
	title: string;
	level: number;
}

const MOST_HEADINGS = 2_000;

/** The headings of a PDF by page, from its table of contents. A damaged one counts as missing. */
export async function headingsOf(document: PdfDocument): Promise<Map<number, PdfHeading[]>> {
	const headings = new Map<number, PdfHeading[]>();
	let left = MOST_HEADINGS;
	const visit = async (items: Outline, level: number): Promise<void> => {
		for (const { title, dest, items: inner } of items ?? []) {
			if (left-- <= 0) return;
			const page = await pageOf(document, dest);
			const heading = { title: title.replace(/\s+/g, " ").trim().toLowerCase(), level: Math.min(level, 6) };
			if (page !== undefined) headings.set(page, [...(headings.get(page) ?? []), heading]);
			if (level < 6) await visit(inner, level + 1);
		}
	};
	await visit(await document.getOutline().catch(() => []), 1);
	return headings;
}

async function pageOf(document: PdfDocument, dest: unknown): Promise<number | undefined> {
	try {
		const place: unknown = typeof dest === "string" ? await document.getDestination(dest) : dest;
		const [page] = Array.isArray(place) ? place : [];
		return typeof page === "number" ? page + 1 : (await document.getPageIndex(page)) + 1;
	} catch {
		return undefined; // It points nowhere.
	}
}
