import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** From this many calls in one message on, their rows and contents do not fit the screen together. */
const CROWD = 3;
const SHOW_ENDED_EVERY_MS = 1000;

/**
 * The rows of calls that came in a crowd. pi erases the screen and the scrollback whenever a line above the visible part
 * changes, so these rows do not change while their runs stream; the widget shows what is new. Rows of finished runs are drawn
 * together, at most once a second.
 */
export class StillRows {
	readonly #still = new Set<string>();
	/** Finished rows that are not shown yet, with how to draw each again. */
	readonly #ended = new Map<string, () => void>();
	#shownAt = Number.NEGATIVE_INFINITY;
	#timer: NodeJS.Timeout | undefined;

	/**
	 * Receives the calls of one message that have arrived so far, and how many calls of other tools it has: their rows may
	 * push ours out of sight.
	 */
	called(toolCalls: readonly string[], others = 0): void {
		if (toolCalls.length >= CROWD || others > 0) for (const id of toolCalls) this.#still.add(id);
	}

	has(toolCall: string): boolean {
		return this.#still.has(toolCall);
	}

	ended(toolCall: string, redraw: () => void): void {
		if (!this.#still.has(toolCall)) return;
		this.#ended.set(toolCall, redraw);
		const isLast = this.#ended.size === this.#still.size;
		if (this.#timer && !isLast) return;
		clearTimeout(this.#timer);
		const sinceShown = performance.now() - this.#shownAt;
		const wait = isLast ? SHOW_ENDED_EVERY_MS - sinceShown : SHOW_ENDED_EVERY_MS;
		this.#timer = setTimeout(() => this.#show(), Math.max(0, wait)).unref();
	}

	dispose(): void {
		clearTimeout(this.#timer);
		this.#still.clear();
		this.#ended.clear();
	}

	#show(): void {
		this.#timer = undefined;
		this.#shownAt = performance.now();
		const ended = [...this.#ended];
		this.#ended.clear();
		for (const [id] of ended) this.#still.delete(id);
		for (const [, redraw] of ended) redraw();
	}
}

/** Looks for crowds as the model writes them, before any of their rows has content. */
export function watchForCrowds(pi: ExtensionAPI, tool: string): StillRows {
	const rows = new StillRows();
	const look = (message: { role: string; content?: unknown }) => {
		if (message.role !== "assistant" || !Array.isArray(message.content)) return;
		const calls = message.content.filter((part) => part.type === "toolCall");
		const ours = calls.filter(({ name }) => name === tool);
		// The name may be missing at the beginning of a call.
		const others = calls.filter(({ name }) => name && name !== tool);
		rows.called(
			ours.map(({ id }) => id),
			others.length,
		);
	};
	pi.on("message_update", ({ message, assistantMessageEvent: { type } }) => {
		if (type === "toolcall_start" || type === "toolcall_end") look(message);
	});
	pi.on("message_end", ({ message }) => look(message));
	return rows;
}
