/**
 * How large each of several reports may be so that all fit together: small reports stay as they are, and large ones share
 * the remaining room equally. Undefined if all fit as they are.
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
