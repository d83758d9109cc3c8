import { withoutSequences } from "../../run/without-sequences.ts";
import { type Converted, Unreadable } from "./converted.ts";
import { fenced } from "./fence.ts";
import { TextParts } from "./text-parts.ts";

/** The limit of one output: tables and logs of a notebook can be endless. */
const LONGEST_OUTPUT = 20_000;

interface Cell {
	cell_type?: unknown;
	source?: unknown;
	outputs?: unknown;
}

/** A Jupyter notebook as markdown: its text, its code, and what the code printed. */
export function ipynbToMarkdown(bytes: Uint8Array): Converted {
	const book = parsed(bytes);
	const language = wordOf(book.metadata?.kernelspec?.language ?? book.metadata?.language_info?.name);
	const parts = new TextParts();
	parts.fill(() => {
		for (const cell of objectsIn<Cell>(book.cells)) {
			const source = cellSource(cell.source);
			parts.add(cell.cell_type === "code" ? (source.trim() === "" ? "" : fenced(source, language)) : source);
			for (const output of objectsIn<Record<string, unknown>>(cell.outputs)) parts.add(outputText(output));
		}
	});
	return parts.done();
}

interface Book {
	cells?: unknown;
	metadata?: { kernelspec?: { language?: unknown }; language_info?: { name?: unknown } };
}

function parsed(bytes: Uint8Array): Book {
	try {
		const book: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
		if (typeof book === "object" && book !== null && "cells" in book) return book;
	} catch (error) {
		// The error's message quotes the document, but this sentence must be ours.
		if (!(error instanceof SyntaxError)) throw error;
		throw new Unreadable("It is not a Jupyter notebook: it is not JSON.");
	}
	throw new Unreadable("It is not a Jupyter notebook: it has no cells.");
}

/** What a reader of the notebook sees: text if there is any, otherwise a note that there is a picture. */
function outputText(output: Record<string, unknown>): string {
	const data = (typeof output.data === "object" && output.data !== null ? output.data : {}) as Record<string, unknown>;
	const text =
		cellSource(output.text) || withoutSequences(cellSource(output.traceback)) || cellSource(data["text/plain"]);
	const pictures = Object.keys(data).filter((type) => type.startsWith("image/"));
	const shown =
		text.length > LONGEST_OUTPUT
			? `${text.slice(0, LONGEST_OUTPUT)}\n… ${text.length - LONGEST_OUTPUT} more characters`
			: text;
	return [
		...(shown.trim() === "" ? [] : [`Output:\n\n${fenced(shown)}`]),
		...(pictures.length > 0 ? ["(The output is an image.)"] : []),
	].join("\n\n");
}

const objectsIn = <T>(value: unknown): T[] =>
	Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];

const cellSource = (value: unknown): string =>
	typeof value === "string"
		? value
		: Array.isArray(value)
			? value.filter((line) => typeof line === "string").join("")
			: "";

const wordOf = (value: unknown): string =>
	typeof value === "string" && /^[\w+#-]{1,20}$/.test(value) ? value.toLowerCase() : "";
