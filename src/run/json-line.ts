/** What a line of JSON says; undefined where it is none: half of one, of a process that was killed, or something else. */
export function parsedLine(line: string): unknown {
	try {
		return line.trim() === "" ? undefined : JSON.parse(line);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
