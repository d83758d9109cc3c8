/** The limit of one document; the rest would not fit any model. */
export const LONGEST_TEXT = 2_000_000;

/** Thrown when there is more text than the limit. */
class Enough extends Error {}

/** Collects the blocks of a text, up to a maximum length. */
export class TextParts {
	readonly #parts: string[] = [];
	#left = LONGEST_TEXT;
	#cut = false;

	add(part: string): void {
		if (part.trim() === "") return;
		this.#parts.push(part);
		this.#left -= part.length;
		if (this.#left < 0) throw new Enough();
	}

	/** Lets a reader add blocks until it is done, or the limit is reached. */
	fill(read: () => void): void {
		try {
			read();
		} catch (error) {
			if (!(error instanceof Enough)) throw error;
			this.#cut = true;
		}
	}

	/** A blank line between paragraphs, none between the items of a list. */
	done(): { text: string; cut: boolean } {
		return { text: this.#parts.join("\n\n").replace(/^([ \t]*- .*)\n\n(?=[ \t]*- )/gm, "$1\n"), cut: this.#cut };
	}
}
