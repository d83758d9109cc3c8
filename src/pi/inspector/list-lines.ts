import type { Theme } from "@earendil-works/pi-coding-agent";
import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { elapsed, stateInWords } from "../../operate/report/words.ts";
import type { RunSummary } from "../../operate/runs.ts";
import { howToBegin } from "../how-to-begin.ts";
import { cut } from "../view/fitted.ts";
import type { ListedRun } from "./run-rows.ts";

export interface ListView {
	rows: readonly ListedRun[];
	selected: number;
	isFocused: boolean;
	scope: "session" | "folder";
}

interface ListDrawing {
	theme: Theme;
	width: number;
	height: number;
	now: number;
	/** Whether there is room for the answers of finished runs. */
	hasAnswers: boolean;
}

/** The lines of a list, and how many runs they show. */
interface DrawnList {
	lines: string[];
	listed: number;
}

/** The runs around the selected one, a line each, and another line for the answers of finished ones. */
export function listLines(view: ListView, drawing: ListDrawing): DrawnList {
	const { rows, selected, isFocused } = view;
	const { theme, height } = drawing;
	if (rows.length === 0) {
		const words = wrapTextWithAnsi(theme.fg("muted", howToBegin(view.scope)), Math.max(1, drawing.width - 2));
		return { lines: words.map((line) => ` ${line}`), listed: 1 };
	}
	const lines = rows.flatMap((row, index) => {
		const isSelected = index === selected;
		const own = [rowLine(row, { isSelected, scope: view.scope }, drawing), ...saidLine(row, drawing)];
		return own.map((line) => ({ index, line: isSelected && isFocused ? highlighted(line, drawing) : line }));
	});
	const first = Math.max(0, Math.min(lineOfRow(lines, selected) - Math.floor(height / 2), lines.length - height));
	const shown = lines.slice(first, first + height);
	return { lines: shown.map(({ line }) => line), listed: new Set(shown.map(({ index }) => index)).size };
}

const lineOfRow = (lines: readonly { index: number }[], selected: number): number =>
	lines.findIndex(({ index }) => index === selected);

const RESET = "\x1b[0m";

/** Highlights to the end of the line: a cut text ends with a reset, which would end the background too. */
function highlighted(line: string, { theme, width }: ListDrawing): string {
	const whole = `${line}${" ".repeat(Math.max(0, width - visibleWidth(line)))}`;
	return whole
		.split(RESET)
		.map((part) => theme.bg("selectedBg", part))
		.join(RESET);
}

/** A narrower screen has no room for "finished" beside a check mark, or for how many runs are ahead. */
const ROOM_FOR_FINISHED = 40;

function rowLine(
	row: ListedRun,
	{ isSelected, scope }: { isSelected: boolean; scope: ListView["scope"] },
	{ theme, width, now }: ListDrawing,
): string {
	const { mark, color } = markOf(row);
	const took = tookOf(row, now, width);
	// Numbers belong to a session.
	const number = scope === "session" ? `#${row.number}` : row.runId;
	const start = `${isSelected ? theme.fg("accent", "▸") : " "}${theme.fg(color, mark)} ${theme.fg("dim", number)} `;
	const room = width - visibleWidth(start) - visibleWidth(took) - 2;
	const agent = cut(inOneLine(row.agent), Math.max(0, room));
	const title = cut(inOneLine(row.label ?? row.task), Math.max(0, room - visibleWidth(agent) - 1));
	const named = title === "" ? "" : ` ${theme.fg(isSelected ? "text" : "muted", title)}`;
	const name = `${theme.fg("accent", agent)}${named}`;
	const gap = Math.max(1, width - visibleWidth(start) - visibleWidth(name) - visibleWidth(took) - 1);
	return cut(`${start}${name}${" ".repeat(gap)}${theme.fg("dim", took)} `, width);
}

/** How long it took, and how it ended. */
function tookOf(row: ListedRun, now: number, width: number): string {
	const state = stateInWords(row);
	if (row.phase === "queued" && width < ROOM_FOR_FINISHED) return row.phase;
	if (row.startedAt === undefined) return state;
	const time = elapsed(row, now);
	const hasRoom = row.phase === "ended" && (row.status !== "success" || width >= ROOM_FOR_FINISHED);
	return hasRoom ? `${state} ${time}` : time;
}

function saidLine({ said, status }: ListedRun, { theme, width, hasAnswers }: ListDrawing): string[] {
	if (!hasAnswers || said === undefined) return [];
	return [cut(`    ${theme.fg(status === "success" ? "dim" : "warning", inOneLine(said))}`, width - 1)];
}

const OPEN_MARKS = {
	queued: { mark: "○", color: "muted" },
	running: { mark: "●", color: "warning" },
	stopping: { mark: "◌", color: "warning" },
} as const;

export function markOf({ phase, status }: Pick<RunSummary, "phase" | "status">) {
	if (phase !== "ended") return OPEN_MARKS[phase];
	return status === "success" ? ({ mark: "✓", color: "success" } as const) : ({ mark: "✗", color: "error" } as const);
}
