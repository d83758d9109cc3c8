/** The middle one: a mean would carry every hiccup of a shared machine. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle];
	if (upper === undefined) throw new Error("There is no median of nothing.");
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

export const ms = (value: number): string => `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`;
export const times = (value: number): string => `${value.toFixed(2)} ×`;
export const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
