/**
 * How large each of several reports may be so that all of them together fit: the small ones as they are, and as much as is
 * left over, in equal parts, for the large ones. Undefined if all fit as they are.
 */
export function shareOfEach(sizes: readonly number[], maxBytes: number): number | undefined {
	const total = sizes.reduce((sum, size) => sum + size, 0);
	if (total <= maxBytes) return undefined;
	let left = maxBytes;
	const ascending = [...sizes].sort((a, b) => a - b);
	for (const [index, size] of ascending.entries()) {
		const share = left / (ascending.length - index);
		if (size > share) return Math.floor(share);
		left -= size;
	}
	return undefined;
}
