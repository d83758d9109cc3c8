/** Numbers that follow from a seed alone, so that a failing workload can be run again. */
export interface Random {
	/** From 0 up to, not including, 1. */
	next(): number;
	/** A whole number of these, both included. */
	between(from: number, to: number): number;
	chance(probability: number): boolean;
	pick<Item>(items: readonly Item[]): Item;
}

/** Mixes a counter: small, and good enough to scatter faults. */
export function randomFrom(seed: number): Random {
	let counter = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
	const next = () => {
		counter = (counter + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(counter ^ (counter >>> 15), counter | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	return {
		next,
		between: (from, to) => from + Math.floor(next() * (to - from + 1)),
		chance: (probability) => next() < probability,
		pick(items) {
			const item = items[Math.floor(next() * items.length)];
			if (item === undefined) throw new Error("There is nothing to pick from.");
			return item;
		},
	};
}
