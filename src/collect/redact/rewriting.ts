/** A text with some parts replaced, from its beginning to its end. */
export class Rewriting {
	readonly #text: string;
	readonly #parts: string[] = [];
	/** The text is written up to here. */
	done = 0;
	#length = 0;

	constructor(text: string) {
		this.#text = text;
	}

	/** Returns where in the result the new part begins. */
	replace(from: number, to: number, written: string): number {
		this.#parts.push(this.#text.slice(this.done, from), written);
		const at = this.#length + from - this.done;
		this.#length = at + written.length;
		this.done = to;
		return at;
	}

	/** Joined at once: a text that was concatenated piece by piece is slow to read again. */
	result(): string {
		if (this.#parts.length === 0) return this.#text;
		this.#parts.push(this.#text.slice(this.done));
		return this.#parts.join("");
	}
}

/** A copy of a part of a longer text, which is slow to read while it is only a view. */
export const inOnePiece = (part: string): string => [part.slice(0, 1), part.slice(1)].join("");
