/** Letters from the most frequent to the rarest, in words and in code. Capitals and signs are rarer than all of them. */
const FREQUENT = " etaonirsldcumpfhg.,()\"=:_-/';wybv0123456789kxjqz";

/** Finds which of many literal signs a text contains, and reads it once for all of them. */
export class SignFinder {
	/** Under two characters of each sign that hardly any text has: the signs, and how far into them these are. */
	readonly #table: (readonly { sign: string; offset: number; index: number }[] | undefined)[] = new Array(128 * 128);
	readonly #count: number;

	constructor(signs: readonly string[]) {
		this.#count = signs.length;
		for (const [index, sign] of signs.entries()) {
			const offset = rarestPair(sign);
			const key = (sign.charCodeAt(offset) << 7) | sign.charCodeAt(offset + 1);
			this.#table[key] = [...(this.#table[key] ?? []), { sign, offset, index }];
		}
	}

	/** For each sign, whether the text has it. */
	in(text: string): Uint8Array {
		const found = new Uint8Array(this.#count);
		let before = 128;
		for (let at = 0; at < text.length; at += 1) {
			const code = text.charCodeAt(at);
			const here = code < 128 && before < 128 ? this.#table[(before << 7) | code] : undefined;
			before = code;
			if (here === undefined) continue;
			for (const { sign, offset, index } of here) {
				if (found[index] === 0 && text.startsWith(sign, at - 1 - offset)) found[index] = 1;
			}
		}
		return found;
	}
}

function rarestPair(sign: string): number {
	const rarity = (at: number): number => {
		const rank = FREQUENT.indexOf(sign.charAt(at));
		return rank === -1 ? FREQUENT.length : rank;
	};
	let best = 0;
	for (let at = 1; at < sign.length - 1; at += 1) {
		if (rarity(at) + rarity(at + 1) > rarity(best) + rarity(best + 1)) best = at;
	}
	return best;
}
