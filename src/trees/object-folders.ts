import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";

/** As far as git follows one repository to the next. */
const MOST_ALTERNATES = 6;

/** Where git looks for objects, starting from a folder: there, where links in it lead, and in its alternates. */
export function objectFolders(folder: string, following = MOST_ALTERNATES): string[] {
	if (following === 0) return [];
	const parts = [folder, join(folder, "pack"), join(folder, "info")];
	return [
		...parts,
		...parts.flatMap(linksIn),
		...alternatesOf(folder).flatMap((next) => objectFolders(next, following - 1)),
	];
}

function linksIn(folder: string): string[] {
	try {
		const entries = readdirSync(folder, { withFileTypes: true });
		return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
	} catch (error) {
		if (error instanceof Error && "code" in error) return []; // git finds no objects there either.
		throw error;
	}
}

function alternatesOf(objects: string): string[] {
	const file = join(objects, "info", "alternates");
	try {
		const lines = readRegularFile(file).split("\n");
		const named = lines.filter((line) => line !== "" && !line.startsWith("#")).map(unquotedPath);
		return named.map((path) => resolve(dirname(dirname(file)), path));
	} catch (error) {
		if (error instanceof Error && "code" in error) return []; // There is none, or git cannot read it either.
		throw error;
	}
}

/** git quotes paths as C does. */
function unquotedPath(line: string): string {
	const [, quoted] = /^"(.*)"$/.exec(line) ?? [];
	if (quoted === undefined) return line;
	const bytes = Buffer.from(quoted).toString("latin1");
	const plain = bytes.replace(/\\([0-7]{3}|.)/g, (_all, code: string) =>
		/^\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (C_ESCAPES[code] ?? code),
	);
	return Buffer.from(plain, "latin1").toString();
}

const C_ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
