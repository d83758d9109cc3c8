/** The parsed value of a line of JSON; undefined if it is not JSON: half a line of a killed process, or something else. */
export function parsedLine(line: string): unknown {
	try {
		return line.trim() === "" ? undefined : JSON.parse(line);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
