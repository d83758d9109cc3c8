import { readFileSync, statSync } from "node:fs";
import type { Diagnostic } from "../run/diagnostic.ts";
import { isRecord } from "../run/is-record.ts";
import { messageOf } from "../run/message-of.ts";
import { parseJson5 } from "./json5.ts";
import { describe } from "./kinds.ts";
import { locateKeys, type Position } from "./locate.ts";
import type { Values } from "./overlay.ts";
import type { Source } from "./setting.ts";

const LARGEST_CONFIG = 256 * 1024;
/** The limit of reports about one file: a hostile file may have thousands. */
const MOST_REPORTS = 50;

export interface ConfigFile {
	values: Values;
	source: Source;
}

/**
 * Reads one configuration file. Reports an unusable file, but not a missing one. `isKnown`: it was usable before.
 */
export function readConfigFile(
	file: string,
	diagnostics: Diagnostic[],
	{ isKnown }: { isKnown: boolean },
): ConfigFile | "missing" | "unusable" {
	try {
		const text = readConfigText(file);
		const values: unknown = parseJson5(text);
		if (!isRecord(values)) throw new Error(`expected an object, not ${describe(values)}`);
		return { values, source: sourceIn({ file, diagnostics, positions: locateKeys(text) }, []) };
	} catch (error) {
		if (isMissingFile(error)) return "missing";
		diagnostics.push({
			severity: "error",
			file,
			...positionIn(error),
			message: `Not used: ${messageOf(error)}.`,
			remedy: isKnown
				? "Fix it. Until then the values that were read before stay in force."
				: "Fix it; until then none of its values apply.",
		});
		return "unusable";
	}
}

function readConfigText(file: string): string {
	const stats = statSync(file);
	if (!stats.isFile()) throw new Error("it is not a file");
	if (stats.size > LARGEST_CONFIG) throw new Error(`it is larger than ${LARGEST_CONFIG / 1024} KiB`);
	// A file of /proc says 0, and may have no end.
	return stats.size === 0 ? "" : readFileSync(file, "utf8");
}

const isMissingFile = (error: unknown): boolean =>
	error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

/** The position that JSON5 puts on its errors. */
function positionIn(error: unknown): Partial<Position> {
	if (!(error instanceof Error && "lineNumber" in error && "columnNumber" in error)) return {};
	const { lineNumber, columnNumber } = error;
	if (typeof lineNumber !== "number" || typeof columnNumber !== "number") return {};
	return { line: lineNumber, column: columnNumber };
}

interface Origin {
	file: string;
	positions: ReadonlyMap<string, Position>;
	diagnostics: Diagnostic[];
}

function sourceIn(origin: Origin, path: readonly (string | number)[]): Source {
	const key = path.join(".");
	return {
		at: (next) => sourceIn(origin, [...path, next]),
		report: (severity, message, remedy) => {
			if (origin.diagnostics.filter(({ file }) => file === origin.file).length >= MOST_REPORTS) return;
			const position = origin.positions.get(key);
			origin.diagnostics.push({ severity, file: origin.file, ...position, key, message, remedy });
		},
	};
}
