import type { MessageRenderer, Theme } from "@earendil-works/pi-coding-agent";
import { Box, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { duration } from "../../run/amounts.ts";
import { ENDED } from "../../run/ending-words.ts";
import type { Cause } from "../../run/outcome.ts";
import { sandboxInShort, sandboxInWords } from "../../run/sandbox-report.ts";
import { type AnnounceView, readAnnounce } from "./announce-view.ts";
import { answerLines } from "./answer.ts";
import type { Drawing } from "./drawing.ts";
import { expandHint } from "./expand-hint.ts";
import { consumption, factLines } from "./fact-lines.ts";
import { fitted } from "./fitted.ts";
import { problemLines } from "./problem-lines.ts";

/** The report of a background run, as a card in the conversation: how it ended, and the beginning of what it says. */
export const announceCard: MessageRenderer = (message, options, theme) => {
	const view = readAnnounce(message);
	const { expanded, outputPad } = options;
	// On pi 1.5 the options include the user's keys.
	const hint = expandHint(theme, options);
	const box = new Box(outputPad, 1, (line) => theme.bg("customMessageBg", line));
	box.addChild(fitted((width) => cardLines(view, { theme, width, expanded, hint })));
	// The padding alone may be wider than the terminal.
	return fitted((width) => box.render(width));
};

function cardLines(view: AnnounceView, drawing: Drawing): string[] {
	const { theme, expanded, width } = drawing;
	const took = view.durationMs === undefined ? [] : [duration(view.durationMs)];
	const { sandbox } = view;
	const enforced = sandbox ? [sandboxInShort(sandbox)] : [];
	const held = sandbox ? [inOneLine(sandboxInWords(sandbox))] : [];
	return [
		...factLines(cardTitle(view, theme), drawing),
		...(expanded && view.task !== "" ? wrapTextWithAnsi(theme.fg("muted", view.task), width) : []),
		...resultLines(view, drawing),
		...notesLines(view, drawing),
		...factLines([...took, ...enforced, ...consumption(view.facts, drawing)], drawing),
		...(expanded ? [...held, ...view.places].flatMap((place) => wrapTextWithAnsi(theme.fg("dim", place), width)) : []),
	];
}

const DONE = { mark: "✓", color: "success" } as const;
const FAILED = { mark: "✗", color: "error" } as const;
const STOPPED = { mark: "✗", color: "warning" } as const;
const UNKNOWN = { mark: "?", color: "warning" } as const;

const CARD_MARKS = {
	finalized: DONE,
	stopped: STOPPED,
	lost: UNKNOWN,
	unreadable: UNKNOWN,
	reported_error: FAILED,
	not_finalized: FAILED,
	uncheckable: FAILED,
	timeout: FAILED,
	budget: FAILED,
	output_limit: FAILED,
	provider: FAILED,
	refused: FAILED,
	crashed: FAILED,
	not_harvested: FAILED,
} as const satisfies Record<Cause, object>;

function cardTitle({ cause, agent, label }: AnnounceView, theme: Theme): string[] {
	const { mark, color } = cause === undefined ? UNKNOWN : CARD_MARKS[cause];
	const text = `${mark} ${cause === undefined ? "finished" : ENDED[cause]}`;
	return [
		`${theme.fg(color, text)} ${theme.fg("accent", theme.bold(agent))}`,
		...(label === undefined ? [] : [theme.fg("customMessageText", label)]),
	];
}

function resultLines({ result, cause }: AnnounceView, drawing: Drawing): string[] {
	if (result.trim() !== "") return withRoom(answerLines(result, drawing), drawing);
	return cause === "finalized" ? [drawing.theme.fg("muted", "(no output)")] : [];
}

function notesLines({ notes, cause }: AnnounceView, drawing: Drawing): string[] {
	if (notes.trim() === "") return [];
	return problemLines({ title: "", message: notes }, cause === "finalized" ? "warning" : "error", drawing);
}

/** Blank lines around the expanded form; none in the short form. */
const withRoom = (lines: string[], { expanded }: Drawing): string[] => (expanded ? ["", ...lines, ""] : lines);
