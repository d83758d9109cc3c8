import { maskAssignments } from "./assignments.ts";
import { maskCommands } from "./commands.ts";
import { createHomeShortener } from "./home-paths.ts";
import { maskHttpCredentials } from "./http-credentials.ts";
import { createLiteralMasker } from "./literals.ts";
import { maskPrivateKeys } from "./private-keys.ts";
import { redactDeep } from "./redact-value.ts";
import { shortenStackTraces } from "./stack-traces.ts";
import { maskTokens } from "./tokens.ts";

/** Makes text and data fit to leave a child. Synchronous, because updates are redacted while they stream. */
export interface Redactor {
	redact(text: string): string;
	/** For JSON-like data: every string in it is redacted, keys stay as they are. */
	redactValue<T>(value: T): T;
}

/**
 * Known secrets come first: they are masked whatever their shape, before a pattern can cut one in two. Formats that
 * speak for themselves come before those that need a name beside them, because they say better what was there.
 */
export function createRedactor(options: { secrets: Iterable<string>; homeDir: string }): Redactor {
	const maskLiterals = createLiteralMasker(options.secrets);
	const shortenHome = createHomeShortener(options.homeDir);

	const redact = (text: string): string => shortenStackTraces(shortenHome(maskPatterns(maskLiterals(text))));
	return { redact, redactValue: (value) => redactDeep(value, redact) };
}

/** Most text holds nothing to mask and is read once. */
const MAX_PASSES = 4;

/** A mask can set apart a value that ran into the next one before, so what was changed is looked at once more. */
function maskPatterns(text: string): string {
	let current = text;
	for (let pass = 0; pass < MAX_PASSES; pass += 1) {
		const masked = maskAssignments(maskCommands(maskHttpCredentials(maskTokens(maskPrivateKeys(current)))));
		if (masked === current) break;
		current = masked;
	}
	return current;
}
