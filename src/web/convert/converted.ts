import type { AnchorOffsets } from "./html/anchors.ts";

/** The result of a conversion. */
export interface Converted {
	title?: string;
	text: string;
	/** Our own sentences about what was left out and why. They quote nothing of the document. */
	notes?: string[];
	/** Why there is no text, in words of ours. */
	whyEmpty?: string;
	/** The address that a page redirects to. */
	refresh?: string;
	/** Where the parts begin that an address can point to. */
	anchors?: AnchorOffsets;
	/** Whether the text was longer than the limit. */
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

/** The answer of a worker. The reason quotes nothing of the document. */
export type ConvertAnswer = { ok: true; converted: Converted } | { ok: false; reason: string };
