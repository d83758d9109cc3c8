import { encodings } from "./encodings.ts";
import { MASK } from "./mask.ts";

/** A shorter literal occurs in ordinary words, and masking it would make the text unreadable. */
export const MIN_SECRET_LENGTH = 8;

const BLOCK = 3;
const TABLE_BITS = 15;

/**
 * Masks literal strings in one pass whose cost does not grow with their number (Wu and Manber's search: the last three
 * characters of a window give the least distance to the next occurrence of any of them). One RegExp of all literals slows
 * down with each literal, and so does one indexOf per literal.
 */
export function createLiteralMasker(secrets: Iterable<string>): (text: string) => string {
	const needles = literalForms(secrets);
	const window = Math.min(...needles.map((needle) => needle.length));
	if (needles.length === 0) return (text) => text;
	const { shifts, buckets } = index(needles, window);

	return (text) => {
		let output = "";
		let copied = 0;
		let end = window;
		let maskedTo = 0;
		while (end <= text.length) {
			const hash = blockHash(text, end);
			const shift = shifts[hash] ?? 1;
			if (shift > 0) {
				end += shift;
				continue;
			}
			const start = end - window;
			const found = buckets.get(hash)?.find((needle) => text.startsWith(needle, start));
			if (found !== undefined && start + found.length > maskedTo) {
				// Overlapping secrets are masked as one, or the rest of the second would stay readable.
				if (start > maskedTo || maskedTo === 0) output += text.slice(copied, start) + MASK;
				maskedTo = start + found.length;
				copied = maskedTo;
			}
			end += 1;
		}
		return copied === 0 ? text : output + text.slice(copied);
	};
}

function literalForms(secrets: Iterable<string>): string[] {
	const forms = new Set<string>();
	for (const secret of secrets) {
		const trimmed = secret.trim();
		if (trimmed.length < MIN_SECRET_LENGTH) continue;
		for (const form of encodings(trimmed)) {
			// The mask cannot hide a part of itself.
			if (form.length >= MIN_SECRET_LENGTH && !MASK.includes(form)) forms.add(form);
		}
	}
	return [...forms].sort((a, b) => b.length - a.length);
}

function index(needles: string[], window: number): { shifts: Uint16Array; buckets: Map<number, string[]> } {
	const shifts = new Uint16Array(1 << TABLE_BITS).fill(window - BLOCK + 1);
	const buckets = new Map<number, string[]>();
	for (const needle of needles) {
		for (let end = BLOCK; end <= window; end += 1) {
			const hash = blockHash(needle, end);
			shifts[hash] = Math.min(shifts[hash] ?? 0, window - end);
		}
		const last = blockHash(needle, window);
		const bucket = buckets.get(last);
		if (bucket === undefined) buckets.set(last, [needle]);
		else bucket.push(needle);
	}
	return { shifts, buckets };
}

function blockHash(text: string, end: number): number {
	const mixed = (text.charCodeAt(end - 3) << 10) ^ (text.charCodeAt(end - 2) << 5) ^ text.charCodeAt(end - 1);
	return mixed & ((1 << TABLE_BITS) - 1);
}
