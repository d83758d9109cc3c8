import { closeSync, constants, openSync } from "node:fs";
import { isAbsolute } from "node:path";
import { bytesFromStart } from "../../files/regular-file.ts";

const FIRST_BYTES = 1024;
/** As many scripts that interpret scripts as Linux follows. */
const MOST_INTERPRETERS = 5;

/**
 * The programs that run a script, one after the other; empty for a program that is not a script. `env` and a shell may start
 * another program: pip writes such a second line if a path is too long for the first.
 */
export function interpretersOf(program: string, most = MOST_INTERPRETERS): string[] {
	const [first = "", second = ""] = beginningOf(program).split("\n");
	if (!first.startsWith("#!") || most === 0) return [];
	const started = second.startsWith("'''exec'") ? commandWords(second.slice("'''exec'".length)) : [];
	const [interpreter = "", ...rest] = commandWords(first.slice(2));
	const named = [interpreter, ...[...rest, ...started].filter((word) => isAbsolute(word))];
	return named.flatMap((path) => [path, ...(isAbsolute(path) ? interpretersOf(path, most - 1) : [])]);
}

const commandWords = (line: string): string[] =>
	[...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");

/** Empty for a file that may not be read: no interpreter can read it either. */
export function beginningOf(file: string): string {
	try {
		// The interpreter that a script names may be a pipe.
		const opened = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		try {
			return bytesFromStart(opened, FIRST_BYTES).toString("utf8");
		} finally {
			closeSync(opened);
		}
	} catch (error) {
		if (error instanceof Error && "code" in error) return "";
		throw error;
	}
}
