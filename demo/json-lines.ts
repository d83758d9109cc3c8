import { StringDecoder } from "node:string_decoder";

export interface PiEvent {
	readonly type: string;
	readonly [field: string]: unknown;
}

/** Splits a stream of JSON records on LF only: U+2028 and U+2029 are ordinary characters inside a record. */
export class JsonLines {
	readonly #decoder = new StringDecoder("utf8");
	readonly #onEvent: (event: PiEvent) => void;
	/** The beginning of a record: kept in pieces, for one of many megabytes would be copied with each of them. */
	#begun: string[] = [];

	constructor(onEvent: (event: PiEvent) => void) {
		this.#onEvent = onEvent;
	}

	push(bytes: Buffer): void {
		const [first = "", ...others] = this.#decoder.write(bytes).split("\n");
		this.#begun.push(first);
		for (const next of others) {
			const line = this.#begun.join("");
			this.#begun = [next];
			if (line.trim() !== "") this.#onEvent(JSON.parse(line) as PiEvent);
		}
	}
}

export function parseJsonLines(text: string): PiEvent[] {
	const events: PiEvent[] = [];
	new JsonLines((event) => events.push(event)).push(Buffer.from(text));
	return events;
}
