import { setImmediate } from "node:timers/promises";
import type { AllRedacted, Redacted } from "../../run/redacted.ts";
import { partsThatHide, withoutCrowds, withParts } from "./hidden-parts.ts";
import { createHomeShortener } from "./home-paths.ts";
import { createLiteralMasker } from "./literals.ts";
import { maskPatterns } from "./patterns.ts";
import { longStringsIn, redactDeep } from "./redact-value.ts";
import { inOnePiece } from "./rewriting.ts";
import { SLICE_CHARS, slicesOf } from "./slices.ts";
import { shortenStackTraces } from "./stack-traces.ts";
import { NEAR } from "./surroundings.ts";

/** Makes text and data safe to leave a child. Its texts stay redacted when they are made legible or plain later. */
export interface Redactor {
	/** Synchronous, because updates are redacted while they stream. For short texts. */
	redact(text: string): Redacted;
	/** For JSON-like data: every string in it is redacted, keys stay as they are. */
	redactValue<T>(value: T): AllRedacted<T>;
	/** The same for a whole outcome, which may hold megabytes: other work gets its turn between the slices. */
	redactInSlices<T>(value: T): Promise<AllRedacted<T>>;
}

export interface RedactorOptions {
	secrets: Iterable<string>;
	homeDir: string;
	/** Where this process works. A home directory that holds one of them is not a secret, and its paths must stay usable. */
	ownFolders?: Iterable<string>;
	/** How many characters are redacted at once, for tests. */
	sliceChars?: number;
	/** How far around hidden characters a text is read again, for tests. */
	lookAround?: number;
}

/**
 * Known secrets come first: they are masked whatever their shape, before a pattern can cut one in two. Formats that are
 * recognizable by themselves come before those that need a name beside them, because they describe better what was there.
 */
export function createRedactor({
	secrets,
	homeDir,
	ownFolders = [],
	sliceChars = SLICE_CHARS,
	lookAround = NEAR,
}: RedactorOptions): Redactor {
	const literals = [...secrets];
	const maskLiterals = createLiteralMasker(literals);
	const near = Math.max(lookAround, LONGEST_FORM * Math.max(0, ...literals.map(({ length }) => length)));
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
		const masked = yield* sliced(withoutCrowds(text, near));
		const parts = partsThatHide(masked, near);
		const again: string[] = [];
		for (const part of parts) again.push(yield* sliced(part.bare));
		if (parts.some(({ bare }, index) => bare !== again[index])) return withParts(masked, parts, again) as Redacted;
		for (const { others } of parts) {
			for (const shown of others) {
				if ((yield* sliced(shown)) !== shown) return withParts(masked, parts, again) as Redacted;
			}
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

/** The written form of a literal may be this many times as long: as `%E2%82%AC`, for example. */
const LONGEST_FORM = 9;

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
