import type { Theme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { count, dollars, duration } from "../../run/amounts.ts";
import { cut } from "./fitted.ts";

/** One run in the widget. Its texts may be anything that a model wrote. */
export interface WidgetRow {
	agent: string;
	/** Its label, or its task. */
	title: string;
	look: "queued" | "running" | "asking" | "stopping" | "finished" | "failed";
	doing: string;
	/** Undefined while it waits. */
	startedAt: number | undefined;
	endedAt: number | undefined;
	tokens: number;
	cost: number;
}

export interface WidgetView {
	rows: readonly WidgetRow[];
	/** Open runs that have no line of their own: running, and queued. */
	more: { running: number; queued: number };
	/** How to see them all. */
	hint: string;
}

const ROW_MARKS = {
	queued: { color: "muted", mark: "○" },
	running: { color: "warning", mark: "●" },
	asking: { color: "accent", mark: "?" },
	stopping: { color: "warning", mark: "◌" },
	finished: { color: "success", mark: "✓" },
	failed: { color: "error", mark: "✗" },
} as const;

/** Names take no more of the line than this, so that there is room for what the child does. */
const NAME_PART = 0.4;
/** Below these widths, the cost, and then the tokens, are left out. */
const ROOM_FOR_COST = 90;
const ROOM_FOR_TOKENS = 56;
/** Users do not read more of one line, and a model may write a megabyte into it. */
const READ_OF_A_LINE = 500;

/** A line per run, aligned, and one for the rest: the number of lines depends only on the number of rows. */
export function widgetLines(view: WidgetView, { theme, width, now }: { theme: Theme; width: number; now: number }) {
	const inner = Math.max(1, width - 1);
	const parts = view.rows.map((row) => ({ row, name: rowName(row), figures: figuresOf(row, width, now) }));
	const nameWidth = Math.min(
		Math.floor(inner * NAME_PART),
		Math.max(0, ...parts.map(({ name }) => visibleWidth(name.agent) + 1 + visibleWidth(name.title))),
	);
	const lines = parts.map(({ row, name, figures }) => {
		const { color, mark } = ROW_MARKS[row.look];
		const agent = cut(name.agent, nameWidth);
		const title = cut(name.title, Math.max(0, nameWidth - visibleWidth(agent) - 1));
		const named = theme.fg("accent", agent) + (title === "" ? "" : ` ${theme.fg("text", title)}`);
		const left = `${theme.fg(color, mark)} ${named}${blanks(nameWidth - visibleWidth(named))}`;
		const room = inner - nameWidth - 2 - visibleWidth(figures) - 4;
		const doing = room > 3 ? `${theme.fg("dim", " › ")}${theme.fg("muted", cut(short(row.doing), room))}` : "";
		const gap = inner - visibleWidth(left) - visibleWidth(doing) - visibleWidth(figures);
		return ` ${left}${doing}${blanks(gap)}${theme.fg("dim", figures)}`;
	});
	return [...lines, ` ${theme.fg("dim", countsOf(view, inner))}`];
}

function rowName({ agent, title }: WidgetRow): { agent: string; title: string } {
	return { agent: short(agent), title: short(title) };
}

function figuresOf({ startedAt, endedAt, tokens, cost }: WidgetRow, width: number, now: number): string {
	return [
		width >= ROOM_FOR_COST && cost > 0 && dollars(cost),
		width >= ROOM_FOR_TOKENS && tokens > 0 && `${count(tokens)} tokens`,
		startedAt !== undefined && duration((endedAt ?? now) - startedAt),
	]
		.filter((figure) => typeof figure === "string")
		.join(" · ");
}

function countsOf({ rows, more, hint }: WidgetView, width: number): string {
	const running = more.running + rows.filter(({ look }) => RUNNING_LOOKS.has(look)).length;
	const asking = rows.filter(({ look }) => look === "asking").length;
	const queued = more.queued + rows.filter(({ look }) => look === "queued").length;
	const hidden = more.running + more.queued;
	const counts = [
		...(hidden > 0 ? [`+${hidden} more`] : []),
		...(running > 0 ? [`${running} running`] : []),
		...(asking > 0 ? [`${asking} asking you`] : []),
		...(queued > 0 ? [`${queued} queued`] : []),
	].join(" · ");
	const withHint = hint === "" ? counts : `${counts} · ${hint}`;
	return visibleWidth(withHint) <= width ? withHint : cut(counts, width);
}

const RUNNING_LOOKS: ReadonlySet<WidgetRow["look"]> = new Set(["running", "stopping"]);

const short = (text: string): string => inOneLine(text.slice(0, READ_OF_A_LINE));

const blanks = (amount: number): string => " ".repeat(Math.max(0, amount));
