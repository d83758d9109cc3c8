/** 312000 → 5m12s */
export function inWords(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	const parts = [
		[Math.floor(seconds / 3600), "h"],
		[Math.floor(seconds / 60) % 60, "m"],
		[seconds % 60, "s"],
	] as const;
	const first = parts.findIndex(([count]) => count > 0);
	return first === -1
		? "0s"
		: parts
				.slice(first, first + 2)
				.map(([count, unit]) => `${count}${unit}`)
				.join("");
}

/** 12345 → 12.3k */
export function shortCount(count: number): string {
	if (count < 1000) return String(count);
	if (count < 1_000_000) return `${(count / 1000).toFixed(1)}k`;
	return `${(count / 1_000_000).toFixed(1)}M`;
}
