import { StringDecoder } from "node:string_decoder";

export interface PiEvent {
	readonly type: string;
	readonly [field: string]: unknown;
}

/** Splits a stream of JSON records on LF only: U+2028 and U+2029 are ordinary characters inside a record. */
export class JsonLines {
	readonly #decoder = new StringDecoder("utf8");
	readonly #onEvent: (event: PiEvent) => void;
	#rest = "";

	constructor(onEvent: (event: PiEvent) => void) {
		this.#onEvent = onEvent;
	}

	push(bytes: Buffer): void {
		const lines = (this.#rest + this.#decoder.write(bytes)).split("\n");
		this.#rest = lines.pop() ?? "";
		for (const line of lines) if (line.trim() !== "") this.#onEvent(JSON.parse(line) as PiEvent);
	}
}

export function parseJsonLines(text: string): PiEvent[] {
	const events: PiEvent[] = [];
	new JsonLines((event) => events.push(event)).push(Buffer.from(text));
	return events;
}
