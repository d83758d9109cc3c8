/** How many calls of one message begin immediately. */
const FIRST_GROUP = 4;
/** Each later group is twice as large, up to this: a commit for each group waits for the disk. */
const LARGEST_GROUP = 100;

/**
 * Lets the calls of one message begin in groups, with other work between two groups. pi begins all of them at once: of a
 * thousand calls, none would be in the ledger before the last one is planned, and the host would wait.
 */
export class CallGroups {
	readonly #waiting: (() => void)[] = [];
	#begun = 0;
	#size = FIRST_GROUP;

	/** Resolves when it is this call's turn: immediately, unless many calls came at the same moment. */
	async turn(): Promise<void> {
		if (this.#begun === 0) this.#soon();
		this.#begun++;
		if (this.#begun > this.#size) await new Promise<void>((resolve) => this.#waiting.push(resolve));
	}

	readonly #next = (): void => {
		if (this.#waiting.length === 0) {
			this.#begun = 0;
			this.#size = FIRST_GROUP;
			return;
		}
		this.#size = Math.min(2 * this.#size, LARGEST_GROUP);
		for (const begin of this.#waiting.splice(0, this.#size)) begin();
		this.#soon();
	};

	/** Waits for more than one immediate, so that those of the current group come first: its admission, a look. */
	#soon(): void {
		setImmediate(() => setImmediate(this.#next));
	}
}
