import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { plain } from "../../collect/plain.ts";
import type { Redactor } from "../../collect/redact/redactor.ts";
import type { Progress } from "../../processes/protocol.ts";
import { ownPart } from "../../run/fork-line.ts";
import { reshaped } from "../../run/redacted.ts";
import { TranscriptFile } from "./transcript-file.ts";
import { itemsOf, type TranscriptItem } from "./transcript-items.ts";

/** More than a user scrolls through. */
const MOST_ITEMS = 400;
/** How much of the child's latest text is compared, to tell whether the file has it already. */
const COMPARED = 200;

/** The visible content of a child session. */
export interface TranscriptContent {
	items: TranscriptItem[];
	/** Whether there was something before the first of them. */
	isCut: boolean;
}

/** The session file of a child as it grows, and the message that it is just writing. */
export class Transcript {
	readonly #file: TranscriptFile;
	readonly #redact: Redactor["redact"];
	readonly #known = new WeakMap<SessionEntry, TranscriptItem[]>();

	constructor(path: string, redact: Redactor["redact"]) {
		this.#file = new TranscriptFile(path);
		this.#redact = redact;
	}

	get path(): string {
		return this.#file.path;
	}

	read(progress: Progress | undefined): TranscriptContent {
		this.#file.read();
		// Start at the end, so that the beginning of a long session is not redacted or kept.
		const latest: TranscriptItem[][] = [];
		let amount = 0;
		const entries = ownPart(this.#file.entries);
		let index = entries.length;
		while (index > 0 && amount < MOST_ITEMS) {
			const entry = entries[--index];
			const items = entry ? this.#itemsOf(entry) : [];
			latest.push(items);
			amount += items.length;
		}
		const items = latest.reverse().flat();
		return { items: [...items, ...saying(progress, items)], isCut: this.#file.isCut || index > 0 };
	}

	#itemsOf(entry: SessionEntry): TranscriptItem[] {
		const items = this.#known.get(entry) ?? itemsOf(entry, this.#redact);
		this.#known.set(entry, items);
		return items;
	}
}

/** The message that is just being written: in the snapshot of its host, and not yet in the file. */
function saying(progress: Progress | undefined, items: readonly TranscriptItem[]): TranscriptItem[] {
	const latest = progress?.displayItems.at(-1);
	if (latest?.type !== "text") return [];
	const text = reshaped(latest.text, (words) => plain(words).trim());
	const said = items.findLast(({ kind }) => kind === "said");
	const isInFile = text === "" || said?.text.endsWith(text.slice(-COMPARED));
	return isInFile ? [] : [{ kind: "said", text }];
}
