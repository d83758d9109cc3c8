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

/** Levenshtein distance, row by row. */
function editDistance(from: string, to: string): number {
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (const [i, letter] of [...from].entries()) {
		const next = [i + 1];
		for (let j = 0; j < to.length; j++) {
			const replaced = (row[j] ?? 0) + (letter === to[j] ? 0 : 1);
			next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row[to.length] ?? 0;
}
