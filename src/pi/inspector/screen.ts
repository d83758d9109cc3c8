import type { Theme } from "@earendil-works/pi-coding-agent";
import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import type { RunCount } from "../../ledger/run-list.ts";
import type { RunInfo } from "../../operate/info.ts";
import { plural } from "../../run/amounts.ts";
import { cut } from "../view/fitted.ts";
import { withoutJson } from "../view/without-json.ts";
import { allFacts, shortFacts } from "./facts-lines.ts";
import { BINDINGS } from "./keys.ts";
import { listLines } from "./list-lines.ts";
import type { ListedRun } from "./run-rows.ts";
import type { TranscriptContent } from "./transcript.ts";
import type { TranscriptDrawing } from "./transcript-lines.ts";

/** From this width on, the list and the run are side by side. */
const TWO_PANES = 100;
/** From this width on, the list has the first lines of answers. */
const ROOM_FOR_ANSWERS = 80;

/** Everything that the inspector shows. */
export interface InspectorView {
	rows: readonly ListedRun[];
	count: RunCount;
	/** Whether these are the runs of this session, or of all sessions in its folder. */
	scope: "session" | "folder";
	selected: number;
	/** The pane that has the keys; on a narrow screen, also the only visible one. */
	pane: "list" | "run";
	run: { info: RunInfo; transcript: TranscriptContent } | undefined;
	shows: "transcript" | "facts" | "diff" | "pools" | "help";
	/** The patch that is shown. */
	diff: string[];
	/** The status of the pools. */
	pools: string[];
	unfolded: boolean;
	/** The first visible line of a text that does not fit; undefined: follow its end. */
	top: number | undefined;
	/** The result of the user's last action. */
	notice: string;
	/** The question to the user, in the last line. */
	question: string | undefined;
}

export interface ScreenDrawing {
	theme: Theme;
	width: number;
	height: number;
	now: number;
	paintTranscript: (items: TranscriptContent["items"], drawing: TranscriptDrawing) => string[];
	/** The input line, while the user writes. */
	inputLine: ((width: number) => string) | undefined;
}

export interface Screen {
	lines: string[];
	/** The number of lines of the text that can be scrolled. */
	total: number;
	height: number;
	/** How many lines of it are further down. */
	below: number;
	/** How many runs the list shows. */
	listed: number;
}

type TextPane = Omit<Screen, "listed">;

/** The whole screen: exactly as many lines as it has, none wider than it is. */
export function drawScreen(view: InspectorView, drawing: ScreenDrawing): Screen {
	const { width, height } = drawing;
	const rows = Math.max(1, height - 3);
	const text = textPane(view, drawing, rows);
	const { body, listed } = panes(view, drawing, { rows, text: text.lines });
	const lines = [titleLine(view, drawing), ...body, ruleLine(view, text, drawing), lastLine(view, drawing)];
	return { ...text, listed, lines: lines.slice(0, height).map((line) => filled(line, width)) };
}

const listWidth = (width: number): number => Math.min(48, Math.floor(width * 0.38));

function panes(
	view: InspectorView,
	drawing: ScreenDrawing,
	{ rows, text }: { rows: number; text: string[] },
): { body: string[]; listed: number } {
	const { width, theme, now } = drawing;
	const list = (columns: number) =>
		listLines(
			{ rows: view.rows, selected: view.selected, isFocused: view.pane === "list", scope: view.scope },
			{ theme, width: columns, height: rows, now, hasAnswers: width >= ROOM_FOR_ANSWERS },
		);
	if (width < TWO_PANES) {
		const { lines, listed } = list(width);
		return { body: upTo(isTextShown(view, width) ? text : lines, rows), listed };
	}
	const { lines, listed } = list(listWidth(width));
	const left = upTo(lines, rows);
	const right = upTo(text, rows);
	const border = theme.fg("border", "│");
	return {
		body: left.map((line, index) => `${filled(line, listWidth(width))}${border} ${right[index] ?? ""}`),
		listed,
	};
}

const isTextShown = ({ pane, shows }: InspectorView, width: number): boolean =>
	width >= TWO_PANES || pane === "run" || shows === "help" || shows === "pools";

/** The run that is selected, or the help. The first lines stay; the rest scrolls. */
function textPane(view: InspectorView, drawing: ScreenDrawing, rows: number): TextPane {
	const { theme, now } = drawing;
	const width = drawing.width >= TWO_PANES ? drawing.width - listWidth(drawing.width) - 2 : drawing.width;
	const { run } = view;
	if (view.shows === "help") return scrolled([], helpLines(theme, width), view.top, rows);
	if (view.shows === "pools") {
		const lines = view.pools.flatMap((line) => wrapTextWithAnsi(plain(line), width));
		return scrolled([], lines, view.top, rows);
	}
	if (!run) return { lines: [], total: 0, height: rows, below: 0 };
	const head = shortFacts(run.info, { theme, width, now });
	if (view.shows === "facts") {
		return scrolled(head, ["", ...allFacts(run.info, { theme, width, now })], view.top, rows);
	}
	if (view.shows === "diff") return scrolled(head, ["", ...diffLines(view.diff, { theme, width })], view.top, rows);
	return scrolled(head, transcriptPane(view, run, { ...drawing, width }), view.top, rows);
}

function transcriptPane(
	{ unfolded }: InspectorView,
	{ info, transcript }: NonNullable<InspectorView["run"]>,
	{ theme, width, paintTranscript }: ScreenDrawing,
): string[] {
	const lines = paintTranscript(transcript.items, { theme, width, unfolded });
	const earlier = transcript.isCut ? [theme.fg("dim", `… more before this: ${info.transcript ?? ""}`)] : [];
	const wrong = info.error === undefined ? [] : ["", ...wrapTextWithAnsi(errorLine(info.error), width)];
	const nothing = info.phase === "ended" ? "Nothing was said." : "Nothing was said yet.";
	const all = [...earlier, ...lines, ...wrong];
	return all.length > 0 ? all : ["", theme.fg("muted", nothing)];

	function errorLine(error: string): string {
		return theme.fg("error", `✗ ${plain(unfolded ? error : withoutJson(error))}`);
	}
}

/** Added and removed lines in the colours that pi shows edits with. */
function diffLines(lines: readonly string[], { theme, width }: { theme: Theme; width: number }): string[] {
	return lines.flatMap((line) => {
		const color = line.startsWith("+") ? "toolDiffAdded" : line.startsWith("-") ? "toolDiffRemoved" : "toolDiffContext";
		return wrapTextWithAnsi(theme.fg(color, line.replaceAll("\t", "    ")), width);
	});
}

function scrolled(head: string[], text: string[], top: number | undefined, rows: number): TextPane {
	const height = Math.max(1, rows - head.length);
	const last = Math.max(0, text.length - height);
	const first = Math.min(top ?? last, last);
	return { lines: [...head, ...text.slice(first, first + height)], total: text.length, height, below: last - first };
}

function titleLine({ count, scope }: InspectorView, { theme, width }: ScreenDrawing): string {
	const counts = [
		...(count.running > 0 ? [`${count.running} running`] : []),
		...(count.queued > 0 ? [`${count.queued} queued`] : []),
		`${count.total} total`,
		...(scope === "folder" ? ["all sessions of this folder"] : []),
	].join(" · ");
	const title = ` ${theme.bold(theme.fg("accent", "Subagents"))} ${theme.fg("muted", counts)} `;
	return `${theme.fg("border", "─")}${title}${theme.fg("border", "─".repeat(Math.max(0, width - visibleWidth(title) - 1)))}`;
}

/** Says whether there is more below, whether the view follows new text, and the result of the last action. */
function ruleLine(view: InspectorView, { below }: TextPane, { theme, width }: ScreenDrawing): string {
	const where = isTextShown(view, width) ? whereOf(view, below, theme) : "";
	const notice = view.notice === "" ? "" : theme.fg("accent", ` ${view.notice} `);
	const start = theme.fg("border", "─");
	const gap = width - 1 - visibleWidth(where) - visibleWidth(notice);
	if (gap < 0) return `${start}${cut(notice === "" ? where : notice, width - 1)}`;
	return `${start}${notice}${theme.fg("border", "─".repeat(gap))}${where}`;
}

/** Only an open run has anything new to follow. */
function whereOf({ run, shows }: InspectorView, below: number, theme: Theme): string {
	const isLive = shows === "transcript" && run !== undefined && run.info.phase !== "ended";
	if (below === 0) return isLive ? theme.fg("muted", " following ") : "";
	const more = `${plural(below, "line")} below`;
	return isLive ? theme.fg("warning", ` paused, ${more}, f follows `) : theme.fg("muted", ` ${more} `);
}

function lastLine(view: InspectorView, { theme, width, inputLine }: ScreenDrawing): string {
	if (inputLine) return inputLine(width);
	if (view.question !== undefined) return theme.fg("warning", ` ${view.question}`);
	let line = "";
	for (const [key, what] of hintsOf(view, width)) {
		const next = `${line} ${theme.fg("accent", key)} ${theme.fg("muted", what)} `;
		if (visibleWidth(next) > width) break;
		line = next;
	}
	return line;
}

type KeyHint = [key: string, what: string];

/** The most useful keys here; a narrow screen has room for the first of them. */
function hintsOf(view: InspectorView, width: number): KeyHint[] {
	const { pane, run, shows, scope, unfolded } = view;
	const close: KeyHint = ["q", "close"];
	if (shows === "help" || shows === "pools") return [["esc", "back"], close];
	if (!run) return [["?", "help"], ["s", scope === "session" ? "all sessions" : "this session"], close];
	const isOpen = run.info.phase !== "ended";
	const facts: KeyHint = ["i", shows === "facts" ? "transcript" : "facts"];
	const isWayBack = shows === "facts" && pane === "run";
	const hints: (KeyHint | false)[] = [
		isWayBack && facts,
		pane === "list" ? ["enter", "read"] : ["esc", "list"],
		["m", isOpen ? "steer" : "resume"],
		isOpen && ["x", "stop"],
		["?", "help"],
		close,
		shows === "transcript" && isTextShown(view, width) && ["t", unfolded ? "fold" : "unfold"],
		!isWayBack && facts,
		run.info.changes !== undefined && ["d", shows === "diff" ? "transcript" : "diff"],
		run.info.changes !== undefined && ["a", "apply"],
		["c", "copy"],
		!isOpen && ["o", "open"],
		pane === "list" && ["s", scope === "session" ? "all sessions" : "this session"],
	];
	return hints.filter((hint) => hint !== false);
}

function helpLines(theme: Theme, width: number): string[] {
	const column = 16;
	return BINDINGS.flatMap(({ keys, about }) => {
		const lines = wrapTextWithAnsi(about, Math.max(1, width - column - 1));
		return lines.map(
			(line, index) =>
				` ${theme.fg("accent", (index === 0 ? keys.join(", ") : "").padEnd(column))}${theme.fg("text", line)}`,
		);
	});
}

const upTo = (lines: string[], rows: number): string[] => Array.from({ length: rows }, (_, row) => lines[row] ?? "");

/** As wide as the screen, so that nothing below shines through. */
function filled(line: string, width: number): string {
	const fitting = cut(line, width);
	return `${fitting}${" ".repeat(Math.max(0, width - visibleWidth(fitting)))}`;
}
