import { kindName, symbolsIn } from "../file-symbols.ts";
import { LocationReader, listedLocations } from "../locations.ts";
import type { LspAnswer, LspRequest } from "../request.ts";
import { type LspSession, launchFor, withServer } from "../session.ts";
import { searchWorkspace } from "../workspace-search.ts";

const MOST_DOCUMENT_SYMBOLS = 300;

export async function symbols(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	if (request.file !== undefined) return symbolsOfFile(session, request, request.file);
	if (!request.query) throw new Error("`symbols` needs a `file`, or a `query` to search the workspace for.");
	const matches = await searchWorkspace(session, request.query, request.server);
	const { lines, ...shown } = listedLocations(matches, (symbol) => `${kindName(symbol.kind)} ${symbol.name}`);
	const nothing = session.notes.isEmpty
		? `No symbol in the workspace matches ${request.query}.`
		: `No symbol that matches ${request.query} was found.`;
	return {
		text: lines.join("\n") || nothing,
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
