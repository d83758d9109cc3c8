/** What a run consumed, summed once per assistant message over every turn and attempt. */
export interface Usage {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	/** US dollars as pi priced them; 0 for a model without prices. */
	cost: number;
	turns: number;
}

export const NO_USAGE: Readonly<Usage> = Object.freeze({
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	cost: 0,
	turns: 0,
});

export const addUsage = (a: Usage, b: Usage): Usage => ({
	input: a.input + b.input,
	output: a.output + b.output,
	cacheRead: a.cacheRead + b.cacheRead,
	cacheWrite: a.cacheWrite + b.cacheWrite,
	cost: a.cost + b.cost,
	turns: a.turns + b.turns,
});

/** The usage that came after `b`, which is a part of `a`. Never negative, whatever was recorded in between. */
export function subtractUsage(a: Usage, b: Usage): Usage {
	const rest = (amount: keyof Usage): number => Math.max(0, a[amount] - b[amount]);
	return {
		input: rest("input"),
		output: rest("output"),
		cacheRead: rest("cacheRead"),
		cacheWrite: rest("cacheWrite"),
		cost: rest("cost"),
		turns: rest("turns"),
	};
}

/** All tokens that the model read, whether or not its provider had them in a cache. */
export const inputTokens = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite;
