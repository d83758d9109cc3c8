import { inOneLine, plain } from "../../collect/plain.ts";
import type { Redacted } from "../../run/redacted.ts";
import { headOfText } from "../excerpt.ts";
import type { Fact } from "../report/layout.ts";
import { runFacts } from "../report/run-info.ts";
import type { ExportedRun } from "./exported-run.ts";

/**
 * The content of all formats for readers, in this order. It contains nothing that controls a terminal or changes the
 * direction of text.
 */
export interface ExportSections {
	title: string;
	facts: Fact[];
	task: string;
	warnings: string[];
	/** How it ended: its error, its answer. */
	outcome: { error?: string; answer?: string };
	steps: ExportStep[];
	diff?: { lines: string[]; more: number };
	notes: string[];
	madeBy: string;
}

export type ExportStep =
	| { type: "message"; who: string; text: string; at: string }
	| { type: "tool"; name: string; arguments: string; result: string; how: "" | "error" | "no result"; at: string }
	| { type: "gap"; text: string };

/** Facts with a section of their own. */
const ELSEWHERE = new Set(["task", "warning", "error", "answer", "so far"]);
const DIFF_LINES_EXPORTED = 20_000;
const LONGEST_DIFF_LINE = 2000;
const MOST_OF_ANSWER = 1_000_000;

export function sectionsOf({ run, transcript, diff, notes, exportedAt }: ExportedRun): ExportSections {
	const { error, answer, warnings, task } = run;
	return {
		title: `Run ${run.runId}: ${inOneLine(run.agent)}`,
		facts: runFacts(run, exportedAt).filter(({ name }) => !ELSEWHERE.has(name)),
		task: shown(task),
		warnings: warnings.map(inOneLine),
		outcome: {
			...(error !== undefined && { error: shown(error) }),
			...(answer !== undefined && { answer: shown(answer) }),
		},
		steps: stepsIn(transcript),
		...(diff !== undefined && { diff: diffSection(diff) }),
		notes: notes.map(inOneLine),
		madeBy: `Exported by pi-geon at ${new Date(exportedAt).toISOString()}. Secrets are masked as far as they are recognized.`,
	};
}

/** An answer may have megabytes. */
const shown = (text: Redacted): string => plain(headOfText(text, MOST_OF_ANSWER));

function stepsIn({ items, gap }: ExportedRun["transcript"]): ExportStep[] {
	const steps = items.map((item): ExportStep => {
		const at = item.at ?? "";
		if (item.type === "message") {
			return {
				type: "message",
				who: item.role === "user" ? "To the subagent" : "Subagent",
				text: plain(item.text),
				at,
			};
		}
		return {
			type: "tool",
			name: inOneLine(item.name),
			arguments: plain(item.arguments),
			result: plain(item.result ?? ""),
			how: item.result === undefined ? "no result" : item.isError ? "error" : "",
			at,
		};
	});
	if (!gap) return steps;
	return steps.toSpliced(gap.after, 0, { type: "gap", text: `${gap.missing} items are left out here.` });
}

function diffSection(text: string): { lines: string[]; more: number } {
	const lines = plain(text).replace(/\n$/, "").split("\n");
	const shown = lines
		.slice(0, DIFF_LINES_EXPORTED)
		.map((line) => (line.length > LONGEST_DIFF_LINE ? `${line.slice(0, LONGEST_DIFF_LINE)}…` : line));
	return { lines: shown, more: Math.max(0, lines.length - DIFF_LINES_EXPORTED) };
}
