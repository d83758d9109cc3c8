import { setImmediate } from "node:timers/promises";
import { maskAssignments } from "./assignments.ts";
import { maskCommands } from "./commands.ts";
import { createHomeShortener } from "./home-paths.ts";
import { maskHttpCredentials } from "./http-credentials.ts";
import { createLiteralMasker } from "./literals.ts";
import { maskPrivateKeys } from "./private-keys.ts";
import { maskRecoveryPhrases } from "./recovery-phrases.ts";
import { longStringsIn, redactDeep } from "./redact-value.ts";
import { SLICE_CHARS, slicesOf } from "./slices.ts";
import { shortenStackTraces } from "./stack-traces.ts";
import { maskTokens } from "./tokens.ts";

/** Makes text and data fit to leave a child. */
export interface Redactor {
	/** Synchronous, because updates are redacted while they stream. For texts of which there is not too much. */
	redact(text: string): string;
	/** For JSON-like data: every string in it is redacted, keys stay as they are. */
	redactValue<T>(value: T): T;
	/** The same for a whole outcome, which may hold megabytes: others get their turn between its slices. */
	redactInSlices<T>(value: T): Promise<T>;
}

export interface RedactorOptions {
	secrets: Iterable<string>;
	homeDir: string;
	/** Where this process works. A home directory that holds one of them is no secret, and its paths must stay usable. */
	ownFolders?: Iterable<string>;
	/** How many characters are redacted at once, for tests. */
	sliceChars?: number;
}

/**
 * Known secrets come first: they are masked whatever their shape, before a pattern can cut one in two. Formats that
 * speak for themselves come before those that need a name beside them, because they say better what was there.
 */
export function createRedactor({
	secrets,
	homeDir,
	ownFolders = [],
	sliceChars = SLICE_CHARS,
}: RedactorOptions): Redactor {
	const maskLiterals = createLiteralMasker(secrets);
	const shortenHome = createHomeShortener(homeDir, ownFolders);

	const redactSlice = (text: string): string => shortenStackTraces(shortenHome(maskPatterns(text)));
	function* redacted(text: string): Generator<string> {
		for (const slice of slicesOf(maskLiterals(text), sliceChars)) yield redactSlice(slice);
	}
	const redact = (text: string): string =>
		text.length <= sliceChars ? redactSlice(maskLiterals(text)) : [...redacted(text)].join("");
	return {
		redact,
		redactValue: (value) => redactDeep(value, redact),
		async redactInSlices(value) {
			const known = new Map<string, string>();
			for (const text of longStringsIn(value, sliceChars / 4)) known.set(text, await joined(redacted(text)));
			return redactDeep(value, (text) => known.get(text) ?? redact(text));
		},
	};
}

async function joined(slices: Generator<string>): Promise<string> {
	const parts: string[] = [];
	for (const slice of slices) {
		parts.push(slice);
		await setImmediate();
	}
	return parts.join("");
}

/** Most text holds nothing to mask and is read once. */
const MAX_PASSES = 4;

/**
 * A mask can set apart a value that ran into the next one before, so what was changed is looked at once more. Where only
 * assigned values were masked, tokens are not: none has a bracket in it, and what stands around such a value ends a token
 * as a bracket does.
 */
function maskPatterns(text: string): string {
	let current = text;
	let masks: number[] | undefined;
	for (let pass = 0; pass < MAX_PASSES; pass += 1) {
		const formed = masks === undefined ? maskTokens(maskPrivateKeys(current)) : maskPrivateKeys(current);
		const beside = maskCommands(maskRecoveryPhrases(maskHttpCredentials(formed)));
		const assigned = maskAssignments(beside, beside === current ? masks : undefined);
		if (assigned.text === current) break;
		masks = beside === current ? assigned.masks : undefined;
		current = assigned.text;
	}
	return current;
}
