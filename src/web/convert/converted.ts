/** What became of a document. */
export interface Converted {
	title?: string;
	text: string;
}

/** Why we do not read a document, in words of our own. */
export class Unreadable extends Error {
	override name = "Unreadable";
}

/** What a worker is asked to convert. */
export type ConvertJob =
	| { kind: "html"; html: string; url: string; preferReader: boolean }
	| { kind: "pdf" | "docx"; bytes: Uint8Array };

/** Its answer. The reason quotes nothing of the document. */
export type ConvertAnswer = { ok: true; converted: Converted } | { ok: false; reason: string };
