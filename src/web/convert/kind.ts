export type DocumentKind = "html" | "pdf" | "docx" | "json" | "csv" | "tsv" | "text";

const BY_TYPE: readonly [RegExp, DocumentKind][] = [
	[/^(text\/html|application\/xhtml\+xml)$/, "html"],
	[/^application\/(x-)?pdf$/, "pdf"],
	[/^application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.document$/, "docx"],
	[/^(application|text)\/([\w.-]+\+)?json$/, "json"],
	[/^text\/csv$/, "csv"],
	[/^text\/tab-separated-values$/, "tsv"],
	[/^text\/|^application\/([\w.-]+\+)?(xml|yaml|javascript|toml|x-ndjson)$/, "text"],
];

/** By the end of the name. Also the only local files that are converted: what else is in a workspace is not a document. */
const BY_NAME: ReadonlyMap<string, DocumentKind> = new Map([
	...([".html", ".htm", ".xhtml"] as const).map((end) => [end, "html"] as const),
	...([".txt", ".md", ".markdown", ".rst", ".xml", ".log"] as const).map((end) => [end, "text"] as const),
	[".pdf", "pdf"],
	[".docx", "docx"],
	[".json", "json"],
	[".csv", "csv"],
	[".tsv", "tsv"],
]);

export const kindByName = (name: string): DocumentKind | undefined =>
	BY_NAME.get(/\.[a-z]+$/.exec(name.toLowerCase())?.[0] ?? "");

/** What a document is. The bytes win over what was declared where they are clear; undefined: nothing we can read. */
export function documentKind(
	bytes: Buffer,
	declared: { contentType?: string; name?: string },
): DocumentKind | undefined {
	const head = bytes.subarray(0, 1024).toString("latin1");
	const type = declared.contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
	const said = BY_TYPE.find(([pattern]) => pattern.test(type))?.[1] ?? kindByName(declared.name ?? "");
	if (head.includes("%PDF-")) return "pdf";
	if (head.startsWith("PK\x03\x04")) return bytes.includes("word/document.xml") ? "docx" : undefined;
	if (isBinary(bytes)) return undefined;
	if (said === "pdf" || said === "docx" || said === undefined || said === "text") return looksLikeHtml(head, said);
	return said;
}

/** An error page in place of a PDF, or a page that is served as plain text or as nothing in particular. */
function looksLikeHtml(head: string, said: DocumentKind | undefined): DocumentKind {
	const start = head.replace(/^\xef\xbb\xbf/, "").trimStart();
	if (/^(<!--[\s\S]*?-->\s*)?(<!doctype html|<html[\s>])/i.test(start)) return "html";
	return said === undefined && /^[[{]/.test(start) ? "json" : "text";
}

/** Text has no NUL bytes, except UTF-16, which we take only with its mark. */
function isBinary(bytes: Buffer): boolean {
	const [first, second] = bytes;
	const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
	return !isUtf16 && bytes.subarray(0, 4096).includes(0);
}
