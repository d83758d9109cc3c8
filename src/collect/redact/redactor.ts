import { setImmediate } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { legible } from "../../run/legible.ts";
import type { AllRedacted, Redacted } from "../../run/redacted.ts";
import { plain } from "../plain.ts";
import { maskAssignments } from "./assignments.ts";
import { maskCommands } from "./commands.ts";
import { createHomeShortener } from "./home-paths.ts";
import { maskHttpCredentials } from "./http-credentials.ts";
import { createLiteralMasker } from "./literals.ts";
import { maskPrivateKeys } from "./private-keys.ts";
import { maskRecoveryPhrases } from "./recovery-phrases.ts";
import { longStringsIn, redactDeep } from "./redact-value.ts";
import { inOnePiece } from "./rewriting.ts";
import { SLICE_CHARS, slicesOf } from "./slices.ts";
import { shortenStackTraces } from "./stack-traces.ts";
import { maskTokens } from "./tokens.ts";

/** Makes text and data fit to leave a child. Its texts stay redacted when they are made legible or plain later. */
export interface Redactor {
	/** Synchronous, because updates are redacted while they stream. For texts of which there is not too much. */
	redact(text: string): Redacted;
	/** For JSON-like data: every string in it is redacted, keys stay as they are. */
	redactValue<T>(value: T): AllRedacted<T>;
	/** The same for a whole outcome, which may hold megabytes: others get their turn between its slices. */
	redactInSlices<T>(value: T): Promise<AllRedacted<T>>;
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
	function* sliced(text: string): Generator<undefined, string> {
		const parts: string[] = [];
		for (const slice of slicesOf(maskLiterals(text), sliceChars)) {
			parts.push(redactSlice(inOnePiece(slice)));
			yield;
		}
		return parts.join("");
	}
	function* redacted(text: string): Generator<undefined, Redacted> {
		const masked = yield* sliced(text);
		if (!HIDES.test(masked)) return masked as Redacted;
		// A key with hidden characters in it is not seen as one, until somebody takes them out to show the text.
		const bare = legible(stripVTControlCharacters(masked));
		if (bare === masked) return masked as Redacted;
		const again = yield* sliced(bare);
		if (again !== bare) return again as Redacted;
		if (!ACTED_ON.test(masked)) return masked as Redacted;
		for (const shown of [legible(masked), plain(masked)]) {
			if (shown !== bare && (yield* sliced(shown)) !== shown) return again as Redacted;
		}
		return masked as Redacted;
	}
	const redact = (text: string): Redacted => atOnce(redacted(text));
	return {
		redact,
		redactValue: (value) => redactDeep(value, redact),
		async redactInSlices(value) {
			const known = new Map<string, Redacted>();
			for (const text of longStringsIn(value, sliceChars / 4)) known.set(text, await inTurns(redacted(text)));
			return redactDeep(value, (text) => known.get(text) ?? redact(text));
		},
	};
}

/** What `legible` and `plain` take out of a text. */
const HIDES = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\uFFF9-\uFFFB]|[^\P{Cc}\n\r\t]/u;
/** What both take out, each in its own way: a key may show in what one of them leaves, and not in what both do. */
const ACTED_ON = /\p{Bidi_Control}|[^\P{Cc}\n\r\t]/u;

function atOnce<Result>(work: Generator<undefined, Result>): Result {
	for (;;) {
		const step = work.next();
		if (step.done) return step.value;
	}
}

async function inTurns<Result>(work: Generator<undefined, Result>): Promise<Result> {
	for (;;) {
		const step = work.next();
		if (step.done) return step.value;
		await setImmediate();
	}
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
		const changed = assigned.text !== current;
		masks = beside === current ? assigned.masks : undefined;
		current = assigned.text;
		if (!changed || masks?.length === 0) break;
	}
	return current;
}
