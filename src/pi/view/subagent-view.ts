import { inOneLine } from "../../collect/plain.ts";
import { readResultDetails } from "../../deliver/stored-details.ts";
import type { ReportedChanges } from "../../run/changes.ts";
import type { Cause } from "../../run/outcome.ts";
import { isCause, isReportedChanges, isSandboxReport } from "../../run/outcome-check.ts";
import type { SandboxReport } from "../../run/sandbox-report.ts";
import { activity } from "./activity.ts";
import { amountOf, fieldsOf, type StoredFields, storedList, textOf } from "./stored.ts";

/** The content of a tool call's row, whatever was stored. One-line texts are plain already; `output` is not. */
export type SubagentView =
	| { kind: "starting" }
	| { kind: "queued"; before: number }
	| { kind: "running"; startedAt: number | undefined; facts: ShownRun; activity: Activity }
	| ({ kind: "ended"; cause: Cause; error: ShownProblem | undefined } & EndedDetails)
	| { kind: "refused"; error: ShownProblem }
	/** Details that this version does not know: only the model's text is available. */
	| { kind: "unknown" };

export interface ShownRun {
	turns: number;
	/** All that the model read, cached or not. */
	input: number;
	output: number;
	cacheRead: number;
	cost: number;
	model: string | undefined;
	/** Tokens in the context window, and its size. */
	context: { tokens: number; window: number } | undefined;
}

export interface Activity {
	lines: string[];
	earlier: number;
}

export interface ShownProblem {
	title: string;
	/** The code and the reason, as far as there are any. */
	code?: string;
	/** Shown before everything else. */
	mark?: string;
	message: string;
}

interface EndedDetails {
	exitCode: number;
	durationMs: number | undefined;
	attempts: number;
	timeoutReason: string | undefined;
	facts: ShownRun;
	activity: Activity;
	warnings: string[];
	sandbox: SandboxReport | undefined;
	changes: ReportedChanges | undefined;
	output: string;
	runId: string | undefined;
	sessionId: string | undefined;
	sessionFile: string | undefined;
}

const LATEST_ACTIVITY = 10;

export function readView(stored: unknown, isPartial: boolean): SubagentView {
	const details = readResultDetails(stored);
	if (details === undefined || !Array.isArray(details.results)) return { kind: "unknown" };
	if (isPartial) return readProgress(fieldsOf(details.streaming));
	const result = fieldsOf(details.results[0]);
	if (result !== undefined) return readEnded(details, result);
	const error = readProblem(details.error);
	return error ? { kind: "refused", error } : { kind: "unknown" };
}

function readProgress(streaming: StoredFields | undefined): SubagentView {
	if (streaming === undefined) return { kind: "unknown" };
	if (streaming.starting === true) return { kind: "starting" };
	const before = amountOf(streaming.queuePosition);
	if (before !== undefined) return { kind: "queued", before };
	const facts = readFacts(streaming);
	return {
		kind: "running",
		startedAt: amountOf(streaming.startedAt),
		facts: { ...facts, turns: amountOf(streaming.turnCount) ?? facts.turns },
		activity: activity(streaming.displayItems, LATEST_ACTIVITY),
	};
}

function readEnded(details: StoredFields, result: StoredFields): SubagentView {
	const { exitCode, cause } = result;
	if (typeof exitCode !== "number" || !isCause(cause)) return { kind: "unknown" };
	const message = textOf(result.error);
	return {
		kind: "ended",
		cause,
		error: readProblem(details.error) ?? (message === undefined ? undefined : { title: "", message }),
		exitCode,
		durationMs: amountOf(result.durationMs),
		attempts: amountOf(result.attempts) ?? 1,
		timeoutReason: shortText(result.timeoutReason),
		facts: readFacts(result),
		activity: activity(result.displayItems, LATEST_ACTIVITY),
		warnings: storedList(result.warnings).flatMap((warning) => textOf(warning) ?? []),
		sandbox: isSandboxReport(result.sandbox) ? result.sandbox : undefined,
		changes: isReportedChanges(result.changes) ? result.changes : undefined,
		output: textOf(result.output) ?? "",
		runId: shortText(details.runId),
		sessionId: shortText(details.sessionId),
		sessionFile: shortText(result.sessionFile),
	};
}

function readProblem(stored: unknown): ShownProblem | undefined {
	const error = fieldsOf(stored);
	const message = textOf(error?.message);
	if (error === undefined || message === undefined) return undefined;
	const code = shortText(error.code) ?? "";
	const reason = shortText(error.reason);
	return { title: "", code: reason === undefined ? code : `${code} (${reason})`.trim(), message };
}

export function readFacts(from: StoredFields): ShownRun {
	const usage = fieldsOf(from.usage) ?? {};
	const context = fieldsOf(from.context);
	const window = amountOf(context?.window);
	const tokens = amountOf(context?.tokens);
	return {
		turns: amountOf(usage.turns) ?? 0,
		input: (amountOf(usage.input) ?? 0) + (amountOf(usage.cacheRead) ?? 0) + (amountOf(usage.cacheWrite) ?? 0),
		output: amountOf(usage.output) ?? 0,
		cacheRead: amountOf(usage.cacheRead) ?? 0,
		cost: amountOf(usage.cost) ?? 0,
		model: shortText(from.model),
		context: window && tokens !== undefined ? { tokens, window } : undefined,
	};
}

export function shortText(stored: unknown): string | undefined {
	const text = textOf(stored);
	return text === undefined ? undefined : inOneLine(text);
}

/** Includes the line breaks inside the tags, which are escaped where the text is JSON. */
const REPORT_TAGS = /<report-[0-9a-f]{16}>(?:\n|\\n)?|(?:\n|\\n)?<\/report-[0-9a-f]{16}>/g;

/** The model's text, without the marks around the words of a child. */
export function contentText(content: unknown): string {
	return storedList(content)
		.map((part) => textOf(fieldsOf(part)?.text) ?? "")
		.filter((text) => text !== "")
		.join("\n")
		.replace(REPORT_TAGS, "");
}
