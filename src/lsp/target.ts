import type { Position } from "vscode-languageserver-protocol";
import { codeOnly } from "./code-only.ts";
import { kindName, symbolsIn } from "./file-symbols.ts";
import { atPlace, shortLine } from "./locations.ts";
import { declared } from "./name-position.ts";
import { type Place, toPlace, toPosition } from "./positions.ts";
import { readProject } from "./readiness.ts";
import type { LspRequest } from "./request.ts";
import type { LanguageServer } from "./server/language-server.ts";
import type { ServerLaunch } from "./server/launch.ts";
import { type LspSession, launchFor, withServer } from "./session.ts";
import { isMeant, nameParts } from "./symbol-names.ts";
import { indexOfWord } from "./words.ts";
import { symbolsCalled } from "./workspace-search.ts";

/** The subject of a request, in the server's terms. */
export interface Target {
	server: LanguageServer;
	path: string;
	uri: string;
	position: Position;
	/** The place for people, and for servers that count differently. */
	place: Place;
	lines: string[];
}

/** Does something at the place that a request means: a position, a name in a file, or a name in the workspace. */
export async function atTarget<R>(
	session: LspSession,
	request: LspRequest,
	work: (target: Target) => Promise<R>,
): Promise<R> {
	const { path, launch, line, column } = await whichFile(session, request);
	return withServer(session, launch, async (server) => {
		await readProject(session, server, [path]);
		const { uri, lines } = server.documents.open(path);
		const named = { path, name: request.query ?? "", lines, signal: session.signal };
		const position = line === undefined ? await positionOfName(server, named) : atLine(line);
		const place = toPlace(position, lines[position.line], server.encoding);
		return work({ server, path, uri, position, place, lines });

		function atLine(number: number): Position {
			const name = request.query === undefined ? undefined : nameParts(request.query).at(-1);
			const place = { line: number, column: columnIn(lines, number, { column, name }) };
			return toPosition(place, lines[number - 1] ?? "", server.encoding);
		}
	});
}

interface FilePlace {
	path: string;
	launch: ServerLaunch;
	line?: number | undefined;
	column?: number | undefined;
}

async function whichFile(session: LspSession, request: LspRequest): Promise<FilePlace> {
	const { file, line, column, query, server } = request;
	if (file === undefined && !query)
		throw new Error(`\`${request.action}\` needs a \`file\` with a \`line\` or \`query\`, or a \`query\`.`);
	if (file !== undefined) {
		if (line === undefined && !query)
			throw new Error(`\`${request.action}\` needs a \`line\` (with \`column\`) or a \`query\`.`);
		const path = session.workspace.file(file);
		return { path, launch: launchFor(session, path, server), line, column };
	}
	const name = query ?? "";
	const matches = await symbolsCalled(session, name, server);
	const [only, second] = matches;
	if (!only) throw new Error(`${noneCalled(session, name)} Give a \`file\`.`);
	if (second) {
		const list = matches.slice(0, 20).map((match) => `${atPlace(match)} ${kindName(match.kind)} ${match.name}`);
		throw new Error(
			`${matches.length} symbols are called ${name}. Give \`file\` and \`line\` of one:\n${list.join("\n")}`,
		);
	}
	const path = session.workspace.file(only.path);
	return { path, launch: launchFor(session, path, server), line: only.line, column: only.column };
}

/** Says that the workspace has none only if all of it was searched. */
export const noneCalled = ({ notes }: LspSession, name: string): string =>
	notes.isEmpty ? `No symbol in the workspace is called ${name}.` : `No symbol called ${name} was found.`;

/** The given column, that of a name in the line, or that of the first word. Throws for a wrong column. */
function columnIn(
	lines: string[],
	line: number,
	{ column, name }: { column?: number | undefined; name?: string | undefined },
): number {
	const text = lines[line - 1];
	if (text === undefined) throw new Error(`There is no line ${line}: the file has ${lines.length} lines.`);
	if (column !== undefined && column > text.length + 1) {
		throw new Error(`There is no column ${column} in line ${line}, which has ${text.length}: ${shortLine(text)}`);
	}
	// Some servers report where a declaration begins, not where its name is: the name may come after the column.
	const found = name ? indexOfWord(text, name, (column ?? 1) - 1) : text.search(/\S/);
	if (column !== undefined) return name && found >= 0 ? found + 1 : column;
	if (found >= 0) return found + 1;
	throw new Error(name ? `${name} is not in line ${line}: ${shortLine(text)}` : `Line ${line} is empty.`);
}

/** A symbol of the file by its name, optionally with that of its container (`Class.method`), or else its first mention. */
async function positionOfName(
	server: LanguageServer,
	{ path, name, lines, signal }: { path: string; name: string; lines: string[]; signal: AbortSignal | undefined },
): Promise<Position> {
	const symbols = (await symbolsIn(server, path, signal)).filter((symbol) => isMeant(name, symbol));
	// Prefer the outermost: a function `run` rather than a parameter or a method of that name.
	const [symbol] = symbols.sort((a, b) => a.within.length - b.within.length);
	if (symbol) return symbol.range.start;
	const last = nameParts(name).at(-1) ?? name;
	const place = declared(codeOnly(lines, path), last) ?? declared(lines, last);
	if (!place) throw new Error(`There is no ${name} in this file.`);
	return toPosition({ line: place.line + 1, column: place.column }, lines[place.line] ?? "", server.encoding);
}
