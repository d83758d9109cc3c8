import type { DocumentSymbol, Range, SymbolInformation } from "vscode-languageserver-protocol";
import { startOfName } from "./name-position.ts";
import type { LanguageServer } from "./server/language-server.ts";

/** The names of the protocol's 26 kinds of symbols. */
const SYMBOL_KINDS =
	"file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null enum-member struct event operator type-parameter".split(
		" ",
	);

export const kindName = (kind: number): string => SYMBOL_KINDS[kind - 1] ?? "symbol";

/** A symbol of a file, with the names around it. */
export interface FileSymbol {
	name: string;
	kind: number;
	/** Where its name is. */
	range: Range;
	within: string[];
}

/** A flat list in order, from either of the two shapes in which servers answer. */
export async function symbolsIn(server: LanguageServer, path: string, signal?: AbortSignal): Promise<FileSymbol[]> {
	const { uri, lines } = server.documents.open(path);
	const answer = await server.request<(DocumentSymbol | SymbolInformation)[] | null>(
		"textDocument/documentSymbol",
		{ textDocument: { uri } },
		signal,
	);
	const symbols = (answer ?? []).flatMap((symbol) => flat(symbol, []));
	const source = { lines, path, encoding: server.encoding };
	return symbols.map((symbol) => ({ ...symbol, range: startOfName(symbol, source) }));
}

function flat(symbol: DocumentSymbol | SymbolInformation, within: string[]): FileSymbol[] {
	const { name, kind } = symbol;
	if ("location" in symbol) {
		return [{ name, kind, range: symbol.location.range, within: symbol.containerName ? [symbol.containerName] : [] }];
	}
	const inner = (symbol.children ?? []).flatMap((child) => flat(child, [...within, name]));
	return [{ name, kind, range: symbol.selectionRange, within }, ...inner];
}
