/** A text of which some parts are replaced, from its beginning to its end. */
export class Rewriting {
	readonly #text: string;
	readonly #parts: string[] = [];
	/** Up to here the text is written. */
	done = 0;
	/** Where in the result the parts that replace others begin. */
	readonly written: number[] = [];
	#length = 0;

	constructor(text: string) {
		this.#text = text;
	}

	replace(from: number, to: number, written: string): void {
		this.#parts.push(this.#text.slice(this.done, from), written);
		this.#length += from - this.done;
		this.written.push(this.#length);
		this.#length += written.length;
		this.done = to;
	}

	/** Joined at once: a text that was added up piece by piece is slow to read again. */
	result(): string {
		if (this.#parts.length === 0) return this.#text;
		this.#parts.push(this.#text.slice(this.done));
		return this.#parts.join("");
	}
}
