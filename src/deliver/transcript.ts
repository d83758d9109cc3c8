import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Conversation } from "../ports/conversation.ts";
import type { SessionFiles } from "../ports/session-files.ts";
import { isRunId, type RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { ANNOUNCE } from "./announce.ts";
import type { Scripted } from "./scripted.ts";
import { STOPPED_BY_USER } from "./stopped.ts";

/** The runs whose outcomes the session has, according to pi's memory. This process does not announce them again. */
export function reportedInMemory(
	conversation: Pick<Conversation, "entries">,
	scripted: Scripted = new Map(),
): Set<unknown> {
	return new Set(conversation.entries().flatMap((entry) => reportedByEntry(entry, scripted)));
}

/** The runs among them that a message of ours reports, rather than the result of a call. */
export const announcedInMemory = (conversation: Pick<Conversation, "entries">): Set<unknown> =>
	new Set(conversation.entries().flatMap((entry) => (entry.type === "custom_message" ? reportedByMessage(entry) : [])));

/**
 * The runs that the session's file reports. The file has reached the disk when this returns, and only then is an outcome
 * delivered: an entry is lost with the machine if it is queued, exists only in the memory of a pi whose disk is full, or was
 * not flushed by the system. The file also has what other processes have written. For a session without a file, the memory
 * counts.
 */
export function reportedOnDisk(
	conversation: Pick<Conversation, "entries" | "file">,
	files: SessionFiles,
	scripted: Scripted = new Map(),
): Set<unknown> {
	const { file } = conversation;
	if (file === undefined) return reportedInMemory(conversation, scripted);
	if (!files.exists(file)) return new Set();
	files.flush(file);
	const lines = (files.read(file, Number.POSITIVE_INFINITY) ?? "").split("\n");
	const signs = ['"runId"', ...scripted.keys()];
	return new Set(
		lines
			.filter((line) => signs.some((sign) => line.includes(sign)))
			.flatMap((line) => reportedByEntry(parsedLine(line) as SessionEntry | null | undefined, scripted)),
	);
}

/**
 * The runs whose outcomes an entry reports: an announce, the line about runs that the user stopped, or the result of a
 * tool call that waited for them.
 */
function reportedByEntry(entry: SessionEntry | null | undefined, scripted: Scripted): unknown[] {
	if (entry?.type === "custom_message") return reportedByMessage(entry);
	if (entry?.type !== "message" || entry.message?.role !== "toolResult") return [];
	return reportedByResult(entry.message, scripted);
}

function reportedByMessage({ customType, details }: { customType: string; details?: unknown }): unknown[] {
	if (!isRecord(details)) return [];
	if (customType === ANNOUNCE) return [details.announceId];
	if (customType !== STOPPED_BY_USER || !Array.isArray(details.runs)) return [];
	return details.runs.flatMap((run: unknown) => (isRecord(run) ? [run.announceId] : []));
}

interface ToolResult {
	toolCallId: string;
	toolName: string;
	details?: unknown;
}

/** The runs whose outcomes these tool results report. */
export const reportedBy = (results: readonly ToolResult[], scripted: Scripted): RunId[] =>
	results.flatMap((result) => reportedByResult(result, scripted));

function reportedByResult({ toolCallId, toolName, details }: ToolResult, scripted: Scripted): RunId[] {
	const byScript = scripted.get(toolCallId) ?? [];
	if (!isRecord(details)) return [...byScript];
	const { runId, status } = details;
	// Any other answer of sessions_send is a receipt. It names a run whose outcome has not been delivered yet.
	const tells = toolName === "subagent" || (toolName === "sessions_send" && (status === "ok" || status === "error"));
	return tells && typeof runId === "string" && isRunId(runId) ? [...byScript, runId] : [...byScript];
}
