import { statSync } from "node:fs";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { readSource, type SourceText } from "../source-text.ts";
import type { PublishedDiagnostics } from "./published-diagnostics.ts";

/** The most open documents: each takes memory in the server, and a check before every request here. */
const MOST_OPEN = 100;

interface OpenDocument {
	uri: string;
	version: number;
	source: SourceText;
	stamp: string;
}

/** The documents a server has open, always in their state on disk. */
export class Documents {
	readonly #open = new Map<string, OpenDocument>();
	readonly #notify: (method: string, params: object) => void;
	readonly #languages: Readonly<Record<string, string>>;
	readonly #diagnostics: PublishedDiagnostics;

	constructor(setup: {
		notify: (method: string, params: object) => void;
		languages: Readonly<Record<string, string>>;
		diagnostics: PublishedDiagnostics;
	}) {
		this.#notify = setup.notify;
		this.#languages = setup.languages;
		this.#diagnostics = setup.diagnostics;
	}

	get count(): number {
		return this.#open.size;
	}

	isOpen(path: string): boolean {
		return this.#open.has(path);
	}

	/** Opens a document if necessary. Returns what the server knows. */
	open(path: string): { uri: string; lines: string[] } {
		const known = this.#open.get(path);
		if (known) {
			// Move it to the end, so that the most recently used document is closed last.
			this.#open.delete(path);
			this.#open.set(path, known);
			return { uri: known.uri, lines: known.source.lines };
		}
		for (const oldest of this.#open.keys()) {
			if (this.#open.size < MOST_OPEN) break;
			this.close(oldest);
		}
		const document = { uri: pathToFileURL(path).href, version: 1, source: readSource(path), stamp: stampOf(path) };
		this.#open.set(path, document);
		this.#diagnostics.expect(path, document.version);
		const languageId = this.#languages[extname(path).toLowerCase()] ?? "plaintext";
		const { uri, version, source } = document;
		this.#notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text: source.text } });
		return { uri, lines: source.lines };
	}

	close(path: string): void {
		const document = this.#open.get(path);
		if (!document) return;
		this.#open.delete(path);
		this.#diagnostics.forget(path);
		this.#notify("textDocument/didClose", { textDocument: { uri: document.uri } });
	}

	/** Reports changes on disk. */
	refresh(): void {
		for (const [path, document] of [...this.#open]) {
			const stamp = stampOf(path);
			if (stamp === document.stamp) continue;
			if (stamp === "") this.close(path);
			else this.#update(path, document, stamp);
		}
	}

	#update(path: string, document: OpenDocument, stamp: string): void {
		const source = sourceIfThere(path);
		if (!source) {
			this.close(path);
			return;
		}
		document.stamp = stamp;
		if (source.text === document.source.text) return;
		document.source = source;
		document.version++;
		this.#diagnostics.expect(path, document.version);
		const { uri, version } = document;
		this.#notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text: source.text }] });
	}
}

/** Undefined for a file that is gone, or has become a link: it may lead to a file that the server must not see. */
function sourceIfThere(path: string): SourceText | undefined {
	try {
		return readSource(path);
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}

/** A value that changes with the content; empty for a file that is gone. */
function stampOf(path: string): string {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats?.isFile() ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : "";
}
