import { NAME_CHAR, startOf } from "./characters.ts";

/**
 * How far a name looks ahead: less than 1,000 characters to its value, and 64 of the value. A quoted value may be longer,
 * but one with a mask in it is not a secret. And how far back: 300 to the value of a pair whose name comes last, and 80 for
 * the name.
 */
const LOOKS_AHEAD = 1_200;
const LOOKS_BACK = 400;

/** The parts of a text that can see one of the masks in it. */
export class Neighbourhood {
	readonly #text: string;
	readonly #masks: readonly number[];
	#index = -1;
	#from = 0;
	#to = 0;

	constructor(text: string, masks: readonly number[]) {
		this.#text = text;
		this.#masks = masks;
	}

	/** The first position in it at or after another one. It begins with a name and not inside one. */
	next(at: number): number {
		while (at > this.#to) {
			this.#index += 1;
			const mask = this.#masks[this.#index];
			if (mask === undefined) return this.#text.length;
			const from = mask - LOOKS_AHEAD;
			this.#from = from > this.#to ? startOf(this.#text, from, NAME_CHAR, from - this.#to) : 0;
			this.#to = mask + LOOKS_BACK;
		}
		return Math.max(at, this.#from);
	}
}
