import type { Location, LocationLink } from "vscode-languageserver-protocol";
import { byPlace, LocationReader, listedLocations, plainLocations } from "../locations.ts";
import type { LspAnswer, LspRequest } from "../request.ts";
import type { LspSession } from "../session.ts";
import { atTarget, exactly } from "../target.ts";
import { kindName, searchWorkspace } from "./symbols.ts";

export async function definition(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	if (request.file === undefined && request.query) return definitionByName(session, request.query, request.server);
	return found(session, request, { method: "textDocument/definition", nothing: "No definition found." });
}

export function findReferences(session: LspSession, request: LspRequest): Promise<LspAnswer> {
	return found(session, request, {
		method: "textDocument/references",
		params: { context: { includeDeclaration: true } },
		nothing: "No references found.",
	});
}

/** The places where the workspace declares the name are its definitions. */
async function definitionByName(session: LspSession, name: string, server?: string): Promise<LspAnswer> {
	const { matches, note } = await searchWorkspace(session, name, server);
	const exact = byPlace(exactly(name, matches));
	const { lines, ...shown } = listedLocations(exact, ({ kind, text }) => `${kindName(kind)}: ${text ?? name}`);
	return { text: (lines.join("\n") || `No symbol in the workspace is called ${name}.`) + note, details: shown };
}

function found(
	session: LspSession,
	request: LspRequest,
	{ method, params = {}, nothing }: { method: string; params?: object; nothing: string },
): Promise<LspAnswer> {
	return atTarget(session, request, async ({ server, uri, position }) => {
		const answer = await server.request<Location | (Location | LocationLink)[] | null>(
			method,
			{ textDocument: { uri }, position, ...params },
			session.signal,
		);
		const reader = new LocationReader(session.workspace);
		const locations = plainLocations(answer).map((location) => reader.read(location, server.encoding));
		const { lines, ...shown } = listedLocations(byPlace(locations));
		return { text: lines.join("\n") || nothing, details: { ...shown, server: server.name } };
	});
}
