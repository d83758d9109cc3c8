import { decodeDeclared, utf16Without } from "./charset.ts";
import type { PackedKind } from "./converted.ts";

export type DocumentKind = PackedKind | "html" | "json" | "csv" | "tsv" | "text";

const BY_TYPE: readonly [RegExp, DocumentKind][] = [
	[/^(text\/html|application\/xhtml\+xml)$/, "html"],
	[/^application\/x-ipynb\+json$/, "ipynb"],
	[/^(application|text)\/([\w.-]+\+)?json$/, "json"],
	[/^text\/csv$/, "csv"],
	[/^text\/tab-separated-values$/, "tsv"],
	[/^text\/|^application\/([\w.-]+\+)?(xml|yaml|javascript|toml|x-ndjson)$/, "text"],
];

const BY_NAME: Readonly<Record<string, DocumentKind>> = {
	html: "html",
	htm: "html",
	xhtml: "html",
	json: "json",
	csv: "csv",
	tsv: "tsv",
	ipynb: "ipynb",
};

/** Office files are zip archives. The names of their parts tell the kind. */
const ARCHIVES: readonly [string, DocumentKind][] = [
	["word/document.xml", "docx"],
	["xl/workbook.xml", "xlsx"],
	["ppt/presentation.xml", "pptx"],
	["META-INF/container.xml", "epub"],
	["META-INF/manifest.xml", "odf"],
];

const HEAD_BYTES = 16 * 1024;
/** Larger documents are not parsed just to find their kind. */
const LARGEST_PARSED = 1_000_000;

/** The kind of a document. Clear bytes win over the declaration; undefined: nothing we can read. */
export function documentKind(
	bytes: Buffer,
	declared: { contentType?: string; name?: string },
): DocumentKind | undefined {
	const start = bytes.subarray(0, 1024).toString("latin1");
	if (start.includes("%PDF-")) return "pdf";
	if (start.startsWith("PK\x03\x04")) return ARCHIVES.find(([part]) => bytes.includes(part))?.[1];
	if (/^\s*\{\\rtf/.test(start)) return "rtf";
	if (isBinary(bytes)) return undefined;
	const head = bytes.subarray(0, HEAD_BYTES & ~1);
	const text = decodeDeclared(head, declared.contentType) ?? head.toString("latin1");
	const said = saidKind(declared);
	if (said === "html") return hasMarkup(text) ? "html" : "text";
	if (isHtml(text) && said !== "csv" && said !== "tsv" && said !== "ipynb") return "html";
	return said ?? (/^\s*[[{]/.test(text) && isJson(bytes) ? "json" : "text");
}

function saidKind({ contentType = "", name = "" }: { contentType?: string; name?: string }): DocumentKind | undefined {
	const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
	const byType = BY_TYPE.find(([pattern]) => pattern.test(type))?.[1];
	const byName = BY_NAME[/\.([a-z]+)$/.exec(name.toLowerCase())?.[1] ?? ""];
	// Many servers label every unknown type as text.
	return byType === "text" && byName !== "html" ? (byName ?? byType) : (byType ?? byName);
}

/**
 * A document that begins like a page is one, even an error page in place of a PDF, or XHTML with everything that may
 * precede it.
 */
const isHtml = (text: string): boolean =>
	/^\s*(<\?xml[^>]*\?>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*(<!doctype\s+html\b|<html[\s>])/i.test(text);

/** Plain text is often served as a page. It has no HTML tags. */
const hasMarkup = (text: string): boolean =>
	/<(!doctype\s+html|\/?(html|head|body|title|meta|link|script|style|frameset|p|div|span|a|b|i|em|strong|br|hr|h[1-6]|ul|ol|li|dl|table|tr|td|pre|code|img|main|article|section|nav|header|footer|form|center|font|blockquote|noscript)[\s/>])/i.test(
		text,
	);

function isJson(bytes: Buffer): boolean {
	if (bytes.length > LARGEST_PARSED) return false;
	try {
		JSON.parse(bytes.toString("utf8"));
		return true;
	} catch {
		return false; // Text that begins with a bracket.
	}
}

/** Text has no NUL bytes, except UTF-16. */
function isBinary(bytes: Buffer): boolean {
	const [first, second] = bytes;
	const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
	return !isUtf16 && bytes.subarray(0, 4096).includes(0) && utf16Without(bytes) === undefined;
}
