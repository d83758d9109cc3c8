import type { Theme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { stateInWords } from "../../operate/report/words.ts";
import type { RunSummary } from "../../operate/runs.ts";
import { duration } from "../../run/amounts.ts";
import { cut } from "../view/fitted.ts";

export interface ListView {
	rows: readonly RunSummary[];
	selected: number;
	isFocused: boolean;
}

interface ListDrawing {
	theme: Theme;
	width: number;
	height: number;
	now: number;
}

/** The runs around the selected one, a line each. */
export function listLines({ rows, selected, isFocused }: ListView, drawing: ListDrawing): string[] {
	const { theme, height } = drawing;
	if (rows.length === 0) return [theme.fg("muted", " No subagents in this session yet.")];
	const first = Math.max(0, Math.min(selected - Math.floor(height / 2), rows.length - height));
	return rows.slice(first, first + height).map((row, index) => {
		const isSelected = first + index === selected;
		const line = rowLine(row, isSelected, drawing);
		return isSelected && isFocused ? theme.bg("selectedBg", line) : line;
	});
}

function rowLine(row: RunSummary, isSelected: boolean, { theme, width, now }: ListDrawing): string {
	const { mark, color } = markOf(row);
	const took = row.startedAt === undefined ? stateInWords(row) : duration((row.endedAt ?? now) - row.startedAt);
	const start = `${isSelected ? theme.fg("accent", "▸") : " "}${theme.fg(color, mark)} ${theme.fg("dim", `#${row.number}`)} `;
	const room = width - visibleWidth(start) - visibleWidth(took) - 2;
	const agent = cut(inOneLine(row.agent), Math.max(0, room));
	const title = cut(inOneLine(row.label ?? row.task), Math.max(0, room - visibleWidth(agent) - 1));
	const named = title === "" ? "" : ` ${theme.fg(isSelected ? "text" : "muted", title)}`;
	const name = `${theme.fg("accent", agent)}${named}`;
	const gap = Math.max(1, width - visibleWidth(start) - visibleWidth(name) - visibleWidth(took) - 1);
	return cut(`${start}${name}${" ".repeat(gap)}${theme.fg("dim", took)} `, width);
}

const OPEN_MARKS = {
	waiting: { mark: "○", color: "muted" },
	working: { mark: "●", color: "warning" },
	stopping: { mark: "◌", color: "warning" },
} as const;

export function markOf({ phase, status }: Pick<RunSummary, "phase" | "status">) {
	if (phase !== "ended") return OPEN_MARKS[phase];
	return status === "success" ? ({ mark: "✓", color: "success" } as const) : ({ mark: "✗", color: "error" } as const);
}
