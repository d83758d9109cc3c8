import type { Location, LocationLink } from "vscode-languageserver-protocol";
import { kindName } from "../file-symbols.ts";
import { byPlace, LocationReader, listedLocations, plainLocations } from "../locations.ts";
import { askAgainIfEmpty, askUntilRead } from "../readiness.ts";
import type { LspAnswer, LspRequest } from "../request.ts";
import type { LspSession } from "../session.ts";
import { atTarget, noneCalled } from "../target.ts";
import { symbolsCalled } from "../workspace-search.ts";

export async function definition(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	if (request.file === undefined && request.query) return definitionByName(session, request.query, request.server);
	return atTarget(session, request, async ({ server, uri, position }) => {
		const params = { textDocument: { uri }, position };
		const ask = () =>
			server.request<Location | (Location | LocationLink)[] | null>("textDocument/definition", params, session.signal);
		const answer = await askUntilRead(session, server, {
			ask: () => askAgainIfEmpty(session, server, { ask, isEmpty: (found) => plainLocations(found).length === 0 }),
			mayImprove: (found) => isOnlyDeclared(plainLocations(found)),
		});
		const reader = new LocationReader(session.workspace);
		const locations = plainLocations(answer).map((location) => reader.read(location, server.encoding));
		const { lines, ...shown } = listedLocations(byPlace(locations));
		return { text: lines.join("\n") || "No definition found.", details: { ...shown, server: server.name } };
	});
}

/** In C, a server that has not read the file with the body yet reports a declaration in a header as the definition. */
const isOnlyDeclared = (found: readonly Location[]): boolean =>
	found.length > 0 && found.every(({ uri }) => /\.(h|hh|hpp|hxx)$/i.test(uri));

/** The places where the workspace declares the name are its definitions. */
async function definitionByName(session: LspSession, name: string, server?: string): Promise<LspAnswer> {
	const exact = await symbolsCalled(session, name, server);
	const { lines, ...shown } = listedLocations(exact, ({ kind, text }) => `${kindName(kind)}: ${text ?? name}`);
	return { text: lines.join("\n") || noneCalled(session, name), details: shown };
}
