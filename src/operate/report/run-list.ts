import { inOneLine } from "../../collect/plain.ts";
import { plural } from "../../run/amounts.ts";
import { NO_USAGE } from "../../run/usage.ts";
import type { RunList, RunSummary } from "../runs.ts";
import { columnsOf, cutTo, padTo, wrapTo } from "./layout.ts";
import { consumed, elapsed, type Reading, stateInWords, titleOf } from "./words.ts";

export interface RunListOptions extends Reading {
	/** Runs have numbers within one conversation only. */
	numbered?: boolean;
	/** How to see more than is shown. */
	howToSeeMore?: string;
	/** What to say where there is nothing. */
	none?: string;
}

/** From this width on, a run is one line; below, three short ones. */
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

/** In one line, however many there are. */
function unreadableLine(runs: { runId: string; problem: string }[]): string {
	const named = runs.slice(0, 3).map(({ runId, problem }) => `${inOneLine(runId)} (${inOneLine(problem)})`);
	const which = [...named, ...(runs.length > named.length ? ["…"] : [])].join(", ");
	return `${plural(runs.length, "record")} of the ledger cannot be read: ${which}. \`pi-geon doctor\` says more.`;
}

function headline({ count: { total, queued, running } }: RunList): string {
	const open = [...(running > 0 ? [`${running} at work`] : []), ...(queued > 0 ? [`${queued} waiting`] : [])];
	const ended = total - queued - running;
	return `${plural(total, "run")}: ${[...open, ...(ended > 0 ? [`${ended} ended`] : [])].join(", ")}`;
}

function table(runs: RunSummary[], options: RunListOptions): string[] {
	const rows = runs.map((run) => {
		const state = `${stateInWords(run)} ${elapsed(run, options.now)}`;
		const [tokens = "", cost = ""] = columnsOfUse(run);
		return [...(numberOf(run, options) ?? []), run.runId, inOneLine(run.agent), titleOf(run), state, tokens, cost];
	});
	const columns = rows[0]?.length ?? 0;
	const titleAt = columns - 4;
	const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ""))));
	const others = widths.reduce((sum, width, at) => (at === titleAt ? sum : sum + width), 0);
	const gaps = 2 * widths.filter((width, at) => at > 0 && width > 0).length;
	widths[titleAt] = Math.min(widths[titleAt] ?? 0, Math.max(8, options.width - others - gaps));
	return rows.map((row) => {
		const cells = row.map((cell, at) => ({ cell, width: widths[at] ?? 0 })).filter(({ width }) => width > 0);
		return cutTo(
			options.width,
			cells
				.map(({ cell, width }) => padTo(width, cutTo(width, cell)))
				.join("  ")
				.trimEnd(),
		);
	});
}

/** Tokens and cost each in their place, so that they stand below each other. */
function columnsOfUse({ usage }: RunSummary): [tokens: string, cost: string] {
	const [tokens = ""] = consumed({ ...usage, cost: 0 });
	const [cost = ""] = consumed({ ...NO_USAGE, cost: usage.cost });
	return [tokens, cost];
}

function block(run: RunSummary, options: RunListOptions): string[] {
	const [number] = numberOf(run, options) ?? [];
	const who = [...(number === undefined ? [] : [number]), inOneLine(run.agent)].join(" ");
	const lines = [
		`${who} · ${stateInWords(run)} ${elapsed(run, options.now)}`,
		`  ${titleOf(run)}`,
		`  ${[run.runId, ...consumed(run.usage)].join(" · ")}`,
	];
	return lines.map((line) => cutTo(options.width, line));
}

const numberOf = ({ number }: RunSummary, { numbered = true }: RunListOptions): string[] | undefined =>
	numbered ? [`#${number}`] : undefined;
