import { legible } from "../../run/legible.ts";
import { WebError } from "../error.ts";
import { decodeDeclared } from "./charset.ts";
import type { Converted, ConvertJob } from "./converted.ts";
import { csvToMarkdown } from "./csv.ts";
import { convertInWorker, type WorkerLimits } from "./in-worker.ts";
import { type DocumentKind, documentKind } from "./kind.ts";
import { LONGEST_TEXT } from "./text-parts.ts";
import { whyUnreadable } from "./unreadable.ts";

export interface RawDocument {
	bytes: Buffer;
	/** As declared by the server. */
	contentType?: string;
	/** Its name on disk. */
	name?: string;
	/** For relative links. */
	url: string;
	preferReader: boolean;
}

export interface ReadableDocument extends Converted {
	kind: DocumentKind;
	cut: boolean;
}

/** Above this size, JSON is shown as it came. */
const LONGEST_JSON = 1_000_000;

/** Converts any document that we can read to text for a model. */
export async function convertDocument(raw: RawDocument, worker: URL, limits: WorkerLimits): Promise<ReadableDocument> {
	const kind = documentKind(raw.bytes, raw);
	if (!kind) throw new WebError("CONVERT_FAILED", whyUnreadable(raw.bytes));
	const converted = await documentText(kind, raw, (job) => convertInWorker(worker, job, limits));
	return { whyEmpty: "the document is empty", ...converted, kind, ...legibleText(converted) };
}

/** Removes invisible characters, and adjusts the positions of link targets. */
function legibleText({ title, text, anchors = {}, cut = false }: Converted) {
	const places = Object.entries(anchors).sort(([, a], [, b]) => a - b);
	const moved: Record<string, number> = {};
	let whole = "";
	let from = 0;
	for (const [id, at] of places) {
		whole += at > from ? legible(text.slice(from, at)) : "";
		from = at;
		moved[id] = whole.length;
	}
	whole += legible(text.slice(from));
	return {
		text: whole.slice(0, LONGEST_TEXT),
		cut: cut || whole.length > LONGEST_TEXT,
		...(places.length > 0 && { anchors: moved }),
		...(title && { title: legible(title) }),
	};
}

type InWorker = (job: ConvertJob) => Promise<Converted>;

async function documentText(kind: DocumentKind, raw: RawDocument, inWorker: InWorker): Promise<Converted> {
	if (kind !== "html" && kind !== "json" && kind !== "csv" && kind !== "tsv" && kind !== "text") {
		return inWorker({ kind, bytes: raw.bytes });
	}
	const text =
		decodeDeclared(raw.bytes, raw.contentType) ?? (await import("./detect-charset.ts")).decodeDetected(raw.bytes);
	if (kind === "html") return inWorker({ kind, html: text, url: raw.url, preferReader: raw.preferReader });
	if (kind === "csv" || kind === "tsv") {
		return {
			text: csvToMarkdown(text.slice(0, LONGEST_TEXT), kind === "csv" ? "," : "\t"),
			cut: text.length > LONGEST_TEXT,
		};
	}
	return { text: kind === "json" && text.length <= LONGEST_JSON ? indentedJson(text) : text };
}

function indentedJson(json: string): string {
	try {
		return JSON.stringify(JSON.parse(json), null, 2);
	} catch {
		return json; // Broken, or nested too deeply: shown as it is.
	}
}
