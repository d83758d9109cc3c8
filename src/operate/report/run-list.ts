import { inOneLine } from "../../collect/plain.ts";
import { plural } from "../../run/amounts.ts";
import { NO_USAGE } from "../../run/usage.ts";
import type { RunList, RunSummary } from "../runs.ts";
import { columnsOf, cutTo, padTo, wrapTo } from "./layout.ts";
import { type Painted, stateColor } from "./state-color.ts";
import { consumed, type Reading, stateAndTime, timeInWords } from "./words.ts";

export interface RunListOptions extends Reading, Painted {
	/** Runs have numbers within one conversation only. */
	numbered?: boolean;
	/** How to see the rest. */
	howToSeeMore?: string;
	/** The text for an empty list. */
	none?: string;
	/** Below each run, when it started, in which folder, and which conversation asked for it. */
	withOrigin?: boolean;
}

/** Session ids begin with the time in milliseconds: this many characters tell sessions apart. */
const SESSION_CHARS = 13;

/** From this width on, a run takes one line, otherwise three short ones. */
const ONE_LINE = 76;

/** The runs of a conversation, or of all: open ones first. */
export function runListReport(list: RunList, options: RunListOptions): string[] {
	const { none = "No runs yet.", howToSeeMore, width } = options;
	if (list.count.total === 0) return wrapTo(width, none);
	const { unreadable = [] } = list;
	const left = list.count.total - list.runs.length - unreadable.length;
	const more = `…and ${left} more.${howToSeeMore === undefined ? "" : ` ${howToSeeMore}`}`;
	const rows = width >= ONE_LINE ? table(list.runs, options) : list.runs.flatMap((run) => block(run, options));
	const skipped = unreadable.length === 0 ? [] : ["", ...wrapTo(width, unreadableLine(unreadable))];
	return [...wrapTo(width, headline(list)), "", ...rows, ...(left > 0 ? ["", ...wrapTo(width, more)] : []), ...skipped];
}

/** One line for all unreadable records. */
function unreadableLine(runs: { runId: string; problem: string }[]): string {
	const named = runs.slice(0, 3).map(({ runId, problem }) => `${inOneLine(runId)} (${inOneLine(problem)})`);
	const which = [...named, ...(runs.length > named.length ? ["…"] : [])].join(", ");
	return `${plural(runs.length, "record")} of the ledger cannot be read: ${which}. \`pi-geon doctor\` says more.`;
}

function headline({ count: { total, queued, running } }: RunList): string {
	const open = [...(running > 0 ? [`${running} running`] : []), ...(queued > 0 ? [`${queued} queued`] : [])];
	const ended = total - queued - running;
	return `${plural(total, "run")}: ${[...open, ...(ended > 0 ? [`${ended} finished`] : [])].join(", ")}`;
}

function table(runs: RunSummary[], options: RunListOptions): string[] {
	const rows = runs.map((run) => {
		const state = stateAndTime(run, options.now);
		const [tokens = "", cost = ""] = columnsOfUse(run);
		return [...(numberOf(run, options) ?? []), run.runId, inOneLine(run.agent), listedTitle(run), state, tokens, cost];
	});
	const columns = rows[0]?.length ?? 0;
	const titleAt = columns - 4;
	const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ""))));
	const others = widths.reduce((sum, width, at) => (at === titleAt ? sum : sum + width), 0);
	const gaps = 2 * widths.filter((width, at) => at > 0 && width > 0).length;
	widths[titleAt] = Math.min(widths[titleAt] ?? 0, Math.max(8, options.width - others - gaps));
	return rows.flatMap((row, rowAt) => {
		const run = runs[rowAt] as RunSummary;
		const cells = row
			.map((cell, at) => ({ at, text: padTo(widths[at] ?? 0, cutTo(widths[at] ?? 0, cell)) }))
			.filter(({ text }) => text !== "");
		const line = cells
			.map(({ text }) => text)
			.join("  ")
			.trimEnd();
		const painted = cells.map(({ at, text }) => (at === titleAt + 1 ? inColor(run, text, options) : text));
		const fits = columnsOf(line) <= options.width;
		return [fits ? painted.join("  ").trimEnd() : cutTo(options.width, line), ...origin(run, options)];
	});
}

function inColor(run: RunSummary, text: string, { paint }: RunListOptions): string {
	const color = stateColor(run);
	return paint && color ? paint(color, text) : text;
}

function origin(run: RunSummary, { withOrigin, width, paint = (_, text) => text }: RunListOptions): string[] {
	if (!withOrigin) return [];
	const started = run.startedAt === undefined ? "not started" : `started ${timeInWords(run.startedAt)}`;
	const session = `session ${inOneLine(run.parentSession).slice(0, SESSION_CHARS)}`;
	const lines = wrapTo(width - 2, `${started} · ${session} · ${inOneLine(run.cwd)}`);
	return lines.map((line) => `  ${paint("dim", line)}`);
}

/** A label is in quotes; a text without quotes is the beginning of a task. */
const listedTitle = ({ label, task }: RunSummary): string =>
	label === undefined ? inOneLine(task) : `"${inOneLine(label)}"`;

/** Tokens and cost in columns of their own, so that they align. */
function columnsOfUse({ usage }: RunSummary): [tokens: string, cost: string] {
	const [tokens = ""] = consumed({ ...usage, cost: 0 });
	const [cost = ""] = consumed({ ...NO_USAGE, cost: usage.cost });
	return [tokens, cost];
}

function block(run: RunSummary, options: RunListOptions): string[] {
	const [number] = numberOf(run, options) ?? [];
	const who = [...(number === undefined ? [] : [number]), inOneLine(run.agent)].join(" ");
	const state = stateAndTime(run, options.now);
	const head = `${who} · ${state}`;
	const painted = `${who} · ${inColor(run, state, options)}`;
	return [
		columnsOf(head) <= options.width ? painted : cutTo(options.width, head),
		cutTo(options.width, `  ${listedTitle(run)}`),
		cutTo(options.width, `  ${[run.runId, ...consumed(run.usage)].join(" · ")}`),
		...origin(run, options),
	];
}

const numberOf = ({ number }: RunSummary, { numbered = true }: RunListOptions): string[] | undefined =>
	numbered ? [`#${number}`] : undefined;
