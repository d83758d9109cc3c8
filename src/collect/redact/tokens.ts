import { AFTER_ESCAPE, maskOf } from "./mask.ts";
import { MARKED_FORMATS, TOKEN_FORMATS, type TokenFormat } from "./token-formats.ts";

// All formats in one expression: V8 rules out nearly every position by its first characters, so that 80 formats cost
// about as much as one.
const COMBINED = new RegExp(
	`(?:(?<![A-Za-z0-9])|${AFTER_ESCAPE})(?:${TOKEN_FORMATS.map(({ source }) => `(${source})`).join("|")})`,
	"g",
);
const MARKED = MARKED_FORMATS.map((format) => ({ format, pattern: new RegExp(format.source, "g") }));

/** Masks tokens that are known by their format, whatever stands around them. */
export function maskTokens(text: string): string {
	let masked = text.replace(COMBINED, (match: string, ...groups: unknown[]) => {
		const format = TOKEN_FORMATS[groups.findIndex((group) => group !== undefined)];
		return format === undefined ? match : mask(match, format);
	});
	for (const { format, pattern } of MARKED) {
		if (masked.includes(format.marker)) masked = masked.replace(pattern, (match) => mask(match, format));
	}
	return masked;
}

function mask(match: string, format: TokenFormat): string {
	if (format.accept !== undefined && !format.accept(match)) return match;
	return `${format.keep?.exec(match)?.[0] ?? ""}${maskOf(format.kind)}`;
}
