import { legible } from "../../run/legible.ts";
import { WebError } from "../error.ts";
import { decodeText } from "./charset.ts";
import type { Converted } from "./converted.ts";
import { csvToMarkdown } from "./csv.ts";
import { convertInWorker, type WorkerLimits } from "./in-worker.ts";
import { type DocumentKind, documentKind } from "./kind.ts";

export interface RawDocument {
	bytes: Buffer;
	/** As the server declared it. */
	contentType?: string;
	/** As it is called on disk. */
	name?: string;
	/** For links that are relative. */
	url: string;
	preferReader: boolean;
}

export interface ReadableDocument extends Converted {
	kind: DocumentKind;
	/** The text was longer than what is kept of it. */
	cut: boolean;
}

/** Of one document; the rest would not fit any model. */
const LONGEST_TEXT = 2_000_000;
/** Above this JSON is shown as it came. */
const LONGEST_JSON = 1_000_000;

/** Any document we can read, as text for a model. */
export async function convertDocument(raw: RawDocument, worker: URL, limits: WorkerLimits): Promise<ReadableDocument> {
	const kind = documentKind(raw.bytes, raw);
	if (!kind) throw new WebError("CONVERT_FAILED", "It is no kind of document that can be read as text.");
	const { title, text } = await documentText(kind, raw, (job) => convertInWorker(worker, job, limits));
	const whole = legible(text);
	return {
		kind,
		text: whole.slice(0, LONGEST_TEXT),
		cut: whole.length > LONGEST_TEXT,
		...(title && { title: legible(title) }),
	};
}

type InWorker = (job: Parameters<typeof convertInWorker>[1]) => Promise<Converted>;

async function documentText(kind: DocumentKind, raw: RawDocument, inWorker: InWorker): Promise<Converted> {
	if (kind === "pdf" || kind === "docx") return inWorker({ kind, bytes: raw.bytes });
	const text = decodeText(raw.bytes, raw.contentType);
	if (kind === "html") return inWorker({ kind, html: text, url: raw.url, preferReader: raw.preferReader });
	if (kind === "csv" || kind === "tsv") {
		return { text: csvToMarkdown(text.slice(0, LONGEST_TEXT), kind === "csv" ? "," : "\t") };
	}
	return { text: kind === "json" && text.length <= LONGEST_JSON ? indentedJson(text) : text };
}

function indentedJson(json: string): string {
	try {
		return JSON.stringify(JSON.parse(json), null, 2);
	} catch {
		return json; // Broken, or nested too deep: shown as it is.
	}
}
