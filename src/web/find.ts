/** How much is shown before and after each place. */
const CONTEXT_CHARS = 400;
const MOST_COUNTED = 1_000;

/** A stretch of a text with places in it. */
export interface FoundStretch {
	from: number;
	to: number;
	places: number[];
}

/** Where words are in a text, in upper or lower case, with any space between them. */
export function findPlaces(text: string, wanted: string): number[] {
	const words = wanted.trim().split(/\s+/);
	const pattern = new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("\\s+"), "gi");
	const places: number[] = [];
	if (wanted.trim() === "") return places;
	for (const { index } of text.matchAll(pattern)) {
		places.push(index);
		if (places.length >= MOST_COUNTED) break;
	}
	return places;
}

/** The places with their context, as many as fit; neighbours share a stretch. */
export function stretchesAround(text: string, places: readonly number[], maxChars: number): FoundStretch[] {
	const stretches: FoundStretch[] = [];
	let left = maxChars;
	for (const place of places) {
		const last = stretches.at(-1);
		const to = Math.min(text.length, place + CONTEXT_CHARS);
		const from = Math.max(0, place - CONTEXT_CHARS, last?.to ?? 0);
		left -= last && from <= last.to ? to - last.to : to - from;
		if (left < 0 && stretches.length > 0) break;
		if (last && from <= last.to) Object.assign(last, { to, places: [...last.places, place] });
		else stretches.push({ from, to, places: [place] });
	}
	return stretches;
}
