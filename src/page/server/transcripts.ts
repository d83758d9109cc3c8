import type { Redactor } from "../../collect/redact/redactor.ts";
import { addUsage, type Usage } from "../../run/usage.ts";
import type { PageTurns, TranscriptPage, TranscriptQuery } from "../api/transcript.ts";
import { PagedTranscript } from "./paged-transcript.ts";
import { itemOf } from "./transcript-item.ts";

/** The most recently viewed ones. */
const KEPT_FILES = 4;
const USUAL_ITEMS = 100;
const ITEMS_OF_PAGE = 200;
/** Limits for the texts of a whole page, and for one text even if few are shown. */
const CHARS_OF_PAGE = 1_000_000;
const CHARS_OF_ITEM = 20_000;
/** The limit for a line that a page requests as a whole. Anything longer belongs in an editor. */
const LONGEST_WHOLE_LINE = 16 * 1024 * 1024;
const MOST_TURNS = 2000;

/** The transcripts that pages look at. */
export class Transcripts {
	readonly #redactor: Pick<Redactor, "redact">;
	readonly #files = new Map<string, PagedTranscript>();

	constructor(redactor: Pick<Redactor, "redact">) {
		this.#redactor = redactor;
	}

	/** A page of the transcript: its end, unless a position is given. */
	async page(path: string | undefined, query: TranscriptQuery): Promise<TranscriptPage> {
		const file = await this.#current(path);
		if (!file) return { version: "none", from: 0, items: [], total: 0, note: "There is no transcript." };
		const { total, version, note } = file;
		const isWhole = query.whole === 1 && query.after !== undefined;
		const { from, to } = rangeAsked(isWhole ? { ...query, limit: 1 } : query, total);
		const lines = await file.read(from, to, isWhole ? LONGEST_WHOLE_LINE : undefined);
		const redact = (text: string) => this.#redactor.redact(text);
		const chars = isWhole ? Number.POSITIVE_INFINITY : Math.min(CHARS_OF_ITEM, Math.ceil(CHARS_OF_PAGE / lines.length));
		return {
			version,
			from,
			items: lines.map((line, index) => itemOf(from + index, line, { redact, chars })),
			total,
			...(note !== undefined && { note }),
		};
	}

	/** The cost of its turns, oldest first. */
	async turns(path: string | undefined): Promise<PageTurns> {
		const file = await this.#current(path);
		return { turns: file ? thinned(file.turns) : [] };
	}

	/** Its version and length, without reading any of its items. */
	async standing(path: string | undefined): Promise<{ version: string; total: number }> {
		const file = await this.#current(path);
		return file ? { version: file.version, total: file.total } : { version: "none", total: 0 };
	}

	async #current(path: string | undefined): Promise<PagedTranscript | undefined> {
		if (path === undefined) return undefined;
		const file = this.#files.get(path) ?? new PagedTranscript(path);
		// Move it to the end, so that the most recently used transcript is removed last.
		this.#files.delete(path);
		this.#files.set(path, file);
		for (const other of [...this.#files.keys()].slice(0, -KEPT_FILES)) this.#files.delete(other);
		try {
			await file.refresh();
			return file;
		} catch (error) {
			// The file was removed or archived, or may no longer be read.
			if (error instanceof Error && "code" in error) return undefined;
			throw error;
		}
	}
}

function rangeAsked(
	{ before, after, limit = USUAL_ITEMS }: TranscriptQuery,
	total: number,
): { from: number; to: number } {
	const count = Math.min(Math.max(1, limit), ITEMS_OF_PAGE);
	if (after !== undefined) {
		const from = Math.min(Math.max(0, after), total);
		return { from, to: Math.min(total, from + count) };
	}
	const to = Math.min(total, Math.max(0, before ?? total));
	return { from: Math.max(0, to - count), to };
}

/** Adds up neighbours if there are more than a user can distinguish. */
function thinned(turns: (Usage & { at: number })[]): (Usage & { at: number })[] {
	const each = Math.ceil(turns.length / MOST_TURNS);
	if (each <= 1) return turns;
	return Array.from({ length: Math.ceil(turns.length / each) }, (_, index) =>
		turns.slice(index * each, (index + 1) * each).reduce((sum, turn) => ({ ...addUsage(sum, turn), at: turn.at })),
	);
}
