import { maskPrintedSecrets, SIGNS_OF_PRINTING } from "./printed-secrets.ts";
import { isPlaceholder } from "./secret-values.ts";
import { SignFinder } from "./signs.ts";
import { ANNOUNCED } from "./tool-formats/announced.ts";
import { OF_CALLS } from "./tool-formats/calls.ts";
import { OF_FILES } from "./tool-formats/files.ts";
import { OF_PROTOCOLS } from "./tool-formats/protocols.ts";
import { OF_SHELLS } from "./tool-formats/shells.ts";
import { isPassword, PASSWORD } from "./tool-formats/tool-format.ts";

const FORMATS = [...OF_FILES, ...OF_SHELLS, ...OF_PROTOCOLS, ...OF_CALLS, ...ANNOUNCED];
const SIGNS = new SignFinder([...SIGNS_OF_PRINTING, ...FORMATS.flatMap(({ signs }) => signs)]);

/** Masks secrets that only the format of a tool's file, of a call or of a transcript reveals. */
export function maskLinesOfTools(text: string): string {
	const found = SIGNS.in(text);
	if (!found.includes(1)) return text;
	let index = SIGNS_OF_PRINTING.length;
	let masked = found.subarray(0, index).includes(1) ? maskPrintedSecrets(text) : text;
	for (const { signs, pattern, mask = PASSWORD, isSecret = isPassword } of FORMATS) {
		const first = index;
		index += signs.length;
		if (!found.subarray(first, index).includes(1)) continue;
		masked = masked.replace(pattern, (match, before: string, value: string) =>
			!isPlaceholder(value) && isSecret(value) ? before + mask : match,
		);
	}
	return masked;
}
