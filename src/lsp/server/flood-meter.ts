import type { ServerLimits } from "./limits.ts";

/** Counts the messages of a server in time windows, and reports when there are too many. */
export class FloodMeter {
	readonly #limits: ServerLimits;
	readonly #onExcess: (excess: string) => void;
	#since = performance.now();
	#messages = 0;
	#bytes = 0;

	constructor(limits: ServerLimits, onExcess: (excess: string) => void) {
		this.#limits = limits;
		this.#onExcess = onExcess;
	}

	count({ messages = 0, bytes = 0 }: { messages?: number; bytes?: number }): void {
		const { floodWindowMs, floodMessages, floodBytes } = this.#limits;
		const now = performance.now();
		if (now - this.#since > floodWindowMs) {
			this.#since = now;
			this.#messages = 0;
			this.#bytes = 0;
		}
		this.#messages += messages;
		this.#bytes += bytes;
		if (this.#messages > floodMessages || this.#bytes > floodBytes) {
			this.#onExcess(`it sent ${this.#messages} messages (${this.#bytes} bytes) within ${floodWindowMs / 1000} s`);
		}
	}
}
