/** The known word a mistyped one was probably meant to be: at most a third of its letters apart. */
export function nearest(word: string, known: readonly string[]): string | undefined {
	const farthest = Math.max(1, Math.floor(word.length / 3));
	const [best] = known
		.filter((candidate) => Math.abs(candidate.length - word.length) <= farthest)
		.map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
		.filter(({ distance }) => distance <= farthest)
		.sort((a, b) => a.distance - b.distance);
	return best?.candidate;
}

/** The suggestion to add to a complaint about a word; empty if no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
	const meant = nearest(word, known);
	return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/** How many letters have to be added, removed, replaced, or swapped with their neighbour; row by row. */
function editDistance(from: string, to: string): number {
	let before: number[] = [];
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 0; i < from.length; i++) {
		const next = [i + 1];
		for (let j = 0; j < to.length; j++) {
			const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
			const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
			const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
			next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		before = row;
		row = next;
	}
	return row[to.length] ?? 0;
}
