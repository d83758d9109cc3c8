import { createRequire } from "node:module";

/** The build replaces this name. */
declare const JSON5_FILE: string | undefined;

const require = createRequire(import.meta.url);

/** Reads JSON5. Loads the library for the first text, since most users have no configuration file. */
export function parseJson5(text: string): unknown {
	const json5: typeof import("json5") = require(typeof JSON5_FILE === "undefined" ? "json5" : JSON5_FILE);
	// The library's ES module puts everything into the default export.
	return ("default" in json5 ? (json5.default as typeof json5) : json5).parse(text);
}
