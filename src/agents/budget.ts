import type { Diagnostic } from "../run/diagnostic.ts";

/** Far more than any user has; a hostile project may have any number. */
const MOST = { entries: 5_000, files: 1_000, bytes: 16 * 1024 * 1024, ms: 5_000 };

/** Limits the reading of one source's agents, so that no folder keeps a delegation waiting. */
export class ReadingBudget {
	#entries = 0;
	#files = 0;
	#bytes = 0;
	readonly #started = performance.now();
	#struck: Diagnostic | undefined;

	/** Whether one more entry of a folder may be read. */
	entry(folder: string): boolean {
		return this.#within(++this.#entries <= MOST.entries, folder, `there are more than ${MOST.entries} entries`);
	}

	/** Whether one more file of this size may be read and parsed now. */
	file(folder: string, bytes: number): boolean {
		this.#files++;
		this.#bytes += bytes;
		return (
			this.#within(this.#files <= MOST.files, folder, `there are more than ${MOST.files} files`) &&
			this.#within(this.#bytes <= MOST.bytes, folder, `they have more than ${MOST.bytes / 1024 / 1024} MiB`) &&
			this.#within(this.#elapsed <= MOST.ms, folder, `reading them takes more than ${MOST.ms / 1000} s`)
		);
	}

	get isSpent(): boolean {
		return this.#struck !== undefined;
	}

	/** Reports the limit that was reached first, if any. */
	get diagnostics(): Diagnostic[] {
		return this.#struck ? [this.#struck] : [];
	}

	get #elapsed(): number {
		return performance.now() - this.#started;
	}

	#within(holds: boolean, folder: string, why: string): boolean {
		if (holds) return true;
		this.#struck ??= {
			severity: "error",
			file: folder,
			message: `Not all agent files in this folder are read: ${why}.`,
			remedy: "Move what is not an agent, or not needed, somewhere else.",
		};
		return false;
	}
}
