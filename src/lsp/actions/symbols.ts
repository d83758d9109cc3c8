import type { DocumentSymbol, Range, SymbolInformation, WorkspaceSymbol } from "vscode-languageserver-protocol";
import { byPlace, type FoundLocation, LocationReader, listedLocations } from "../locations.ts";
import { projectsOf } from "../projects.ts";
import type { LspAnswer, LspRequest } from "../request.ts";
import type { LanguageServer } from "../server/language-server.ts";
import { type LspSession, launchFor, withServer } from "../session.ts";

const MOST_DOCUMENT_SYMBOLS = 300;

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
	/** Where its name stands. */
	range: Range;
	within: string[];
}

export async function symbols(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	if (request.file !== undefined) return symbolsOfFile(session, request, request.file);
	if (!request.query) throw new Error("`symbols` needs a `file`, or a `query` to search the workspace for.");
	const { matches, note } = await searchWorkspace(session, request.query, request.server);
	const { lines, ...shown } = listedLocations(byPlace(matches), (symbol) => `${kindName(symbol.kind)} ${symbol.name}`);
	return {
		text: (lines.join("\n") || `No symbol in the workspace matches ${request.query}.`) + note,
		details: { query: request.query, symbols: shown.locations, total: shown.total },
	};
}

async function symbolsOfFile(session: LspSession, request: LspRequest, file: string): Promise<LspAnswer> {
	const path = session.workspace.file(file);
	const launch = launchFor(session, path, request.server);
	const reader = new LocationReader(session.workspace);
	const all = await withServer(session, launch, async (server) => {
		const found = await symbolsIn(server, path, session.signal);
		const { uri } = server.documents.open(path);
		return found.map((symbol) => ({ ...reader.read({ uri, range: symbol.range }, server.encoding), ...symbol }));
	});
	const wanted = request.query?.toLowerCase();
	const matching = all.filter(({ name }) => wanted === undefined || name.toLowerCase().includes(wanted));
	const shown = matching.slice(0, MOST_DOCUMENT_SYMBOLS);
	const lines = shown.map(
		({ line, column, within, kind, name }) =>
			`${"  ".repeat(within.length)}${line}:${column} ${kindName(kind)} ${name}`,
	);
	if (shown.length < matching.length) lines.push(`… the first ${shown.length} of ${matching.length}.`);
	return {
		text: lines.length > 0 ? [session.workspace.show(path), ...lines].join("\n") : `No symbols in ${file}.`,
		details: {
			symbols: shown.map(({ range: _, kind, ...symbol }) => ({ ...symbol, kind: kindName(kind) })),
			total: matching.length,
			server: launch.definition.name,
		},
	};
}

/** Flat, in order, whichever of the two shapes the server answers with. */
export async function symbolsIn(server: LanguageServer, path: string, signal?: AbortSignal): Promise<FileSymbol[]> {
	const { uri } = server.documents.open(path);
	const answer = await server.request<(DocumentSymbol | SymbolInformation)[] | null>(
		"textDocument/documentSymbol",
		{ textDocument: { uri } },
		signal,
	);
	return (answer ?? []).flatMap((symbol) => flat(symbol, []));
}

function flat(symbol: DocumentSymbol | SymbolInformation, within: string[]): FileSymbol[] {
	const { name, kind } = symbol;
	if ("location" in symbol) {
		return [{ name, kind, range: symbol.location.range, within: symbol.containerName ? [symbol.containerName] : [] }];
	}
	const inner = (symbol.children ?? []).flatMap((child) => flat(child, [...within, name]));
	return [{ name, kind, range: symbol.selectionRange, within }, ...inner];
}

export interface WorkspaceMatch extends FoundLocation {
	name: string;
	kind: number;
}

/** Asks the servers of the workspace for a name. */
export async function searchWorkspace(
	session: LspSession,
	query: string,
	server?: string,
): Promise<{ matches: WorkspaceMatch[]; note: string }> {
	const reader = new LocationReader(session.workspace);
	const { projects, left } = await projectsOf(session, server);
	const found = await Promise.all(
		projects.map(({ launch, files: [first] }) =>
			withServer(session, launch, async (running) => {
				// Servers read a project when the first file of it is opened, and some answer before they have.
				if (first !== undefined) await symbolsIn(running, first, session.signal);
				const answer = await running.request<(SymbolInformation | WorkspaceSymbol)[] | null>(
					"workspace/symbol",
					{ query },
					session.signal,
				);
				return (answer ?? []).map(({ name, kind, location }) => {
					const range = "range" in location ? location.range : { start: ORIGIN, end: ORIGIN };
					return { name, kind, ...reader.read({ uri: location.uri, range }, running.encoding) };
				});
			}),
		),
	);
	const note = left.length > 0 ? `\n${left.length} smaller projects were not searched: give a \`file\` for those.` : "";
	return { matches: found.flat(), note };
}

const ORIGIN = { line: 0, character: 0 };
