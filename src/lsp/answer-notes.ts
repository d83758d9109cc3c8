import type { LspAnswer } from "./request.ts";

/** The limits of one call's answer, each reported once. */
export class AnswerNotes {
	readonly #notes = new Set<string>();

	add(note: string): void {
		this.#notes.add(note);
	}

	get isEmpty(): boolean {
		return this.#notes.size === 0;
	}

	addedTo({ text, details }: LspAnswer): LspAnswer {
		if (this.isEmpty) return { text, details };
		return { text: this.#after(text), details: { ...details, notes: [...this.#notes] } };
	}

	/** A failure is an answer too: "there is no such symbol" must say where the search did not look. */
	addedToError(error: unknown): unknown {
		if (this.isEmpty || !(error instanceof Error)) return error;
		return new Error(this.#after(error.message), { cause: error });
	}

	#after(text: string): string {
		return [text, ...[...this.#notes].map((note) => `Note: ${note}`)].join("\n");
	}
}
