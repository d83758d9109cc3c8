import { fileURLToPath } from "node:url";
import type { Location, LocationLink, Range } from "vscode-languageserver-protocol";
import { startOfName } from "./name-position.ts";
import { type Encoding, toPlace } from "./positions.ts";
import { readSource } from "./source-text.ts";
import type { Workspace } from "./workspace.ts";

const MOST_LOCATIONS = 100;
const LONGEST_SOURCE_LINE = 160;
const FETCHED = /[\\/](node_modules|site-packages|vendor|\.venv|venv)[\\/]/;

/** A place in the code, as shown: 1-based, with its line. */
export interface FoundLocation {
	/** The path as the model should write it; the address itself if it is not a file. */
	path: string;
	line: number;
	column: number;
	endLine: number;
	endColumn: number;
	text?: string;
}

/** Turns the locations of servers into shown ones, for one call. Reads each file once. */
export class LocationReader {
	readonly #workspace: Workspace;
	readonly #lines = new Map<string, string[] | undefined>();

	constructor(workspace: Workspace) {
		this.#workspace = workspace;
	}

	read({ uri, range }: { uri: string; range: Range }, encoding: Encoding): FoundLocation {
		const path = pathOfUri(uri);
		const lines = path === undefined ? undefined : this.#linesOf(path);
		const start = toPlace(range.start, lines?.[range.start.line], encoding);
		const end = toPlace(range.end, lines?.[range.end.line], encoding);
		const text = lines?.[range.start.line]?.trim();
		return {
			path: path === undefined ? uri : this.#workspace.show(path),
			...start,
			endLine: end.line,
			endColumn: end.column,
			...(text !== undefined && { text: shortLine(text) }),
		};
	}

	/** A place that begins at the name that is declared there. */
	named({ uri, range, name }: { uri: string; range: Range; name: string }, encoding: Encoding): Range {
		const path = pathOfUri(uri);
		const lines = path === undefined ? undefined : this.#linesOf(path);
		return path === undefined || !lines ? range : startOfName({ name, range }, { lines, path, encoding });
	}

	/** Whether it was written here: it is in the workspace, and was not downloaded. */
	isOwn(uri: string): boolean {
		const path = pathOfUri(uri);
		return path !== undefined && this.#workspace.contains(path) && !FETCHED.test(path);
	}

	/** Shows only lines of files in the workspace. Other places that a server points at are just named. */
	#linesOf(path: string): string[] | undefined {
		if (!this.#lines.has(path)) {
			const real = this.#workspace.readable(path);
			this.#lines.set(path, real === undefined ? undefined : readSource(real).lines);
		}
		return this.#lines.get(path);
	}
}

export const shortLine = (line: string): string =>
	line.length > LONGEST_SOURCE_LINE ? `${line.slice(0, LONGEST_SOURCE_LINE)}…` : line;

const pathOfUri = (uri: string): string | undefined => (uri.startsWith("file:") ? fileURLToPath(uri) : undefined);

/** The answers to a definition have four shapes. */
export function plainLocations(
	answer: Location | readonly (Location | LocationLink)[] | null | undefined,
): { uri: string; range: Range }[] {
	const list = Array.isArray(answer) ? answer : answer ? [answer] : [];
	return list.map((item: Location | LocationLink) =>
		"targetUri" in item ? { uri: item.targetUri, range: item.targetSelectionRange } : item,
	);
}

/** Several servers may report the same place. */
export function onceEach<T extends FoundLocation>(locations: readonly T[]): T[] {
	return [...new Map(locations.map((location) => [atPlace(location), location])).values()];
}

export function byPlace<T extends FoundLocation>(locations: readonly T[]): T[] {
	const order = (a: FoundLocation, b: FoundLocation) =>
		a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1;
	return [...locations].sort(order);
}

/** Lists locations, one line each, and counts the rest. */
export function listedLocations<T extends FoundLocation>(
	locations: readonly T[],
	describe: (location: T) => string = ({ text }) => text ?? "",
): { lines: string[]; locations: T[]; total: number } {
	const shown = locations.slice(0, MOST_LOCATIONS);
	const lines = shown.map((location) => `${atPlace(location)}  ${describe(location)}`.trimEnd());
	if (shown.length < locations.length) lines.push(`… the first ${shown.length} of ${locations.length}.`);
	return { lines, locations: shown, total: locations.length };
}

export const atPlace = ({ path, line, column }: Pick<FoundLocation, "path" | "line" | "column">): string =>
	`${path}:${line}:${column}`;
