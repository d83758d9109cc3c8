import type { AnchorOffsets } from "./html/anchors.ts";

/** What became of a document. */
export interface Converted {
	title?: string;
	text: string;
	/** Sentences of ours about what was left out and why. They quote nothing of the document. */
	notes?: string[];
	/** Why there is no text, in words of ours. */
	whyEmpty?: string;
	/** Where a page sends its readers on. */
	refresh?: string;
	/** Where the parts begin that an address can point to. */
	anchors?: AnchorOffsets;
	/** The text was longer than what is kept of it. */
	cut?: boolean;
}

/** Why we do not read a document, in words of our own. */
export class Unreadable extends Error {
	override name = "Unreadable";
}

/** Kinds that a thread of their own converts, from their bytes. */
export type PackedKind = "pdf" | "docx" | "xlsx" | "pptx" | "odf" | "epub" | "rtf" | "ipynb";

/** What a worker is asked to convert. */
export type ConvertJob =
	| { kind: "html"; html: string; url: string; preferReader: boolean }
	| { kind: PackedKind; bytes: Uint8Array };

/** Its answer. The reason quotes nothing of the document. */
export type ConvertAnswer = { ok: true; converted: Converted } | { ok: false; reason: string };
