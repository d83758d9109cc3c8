import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Conversation } from "../ports/conversation.ts";
import type { SessionFiles } from "../ports/session-files.ts";
import { isRunId, type RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { ANNOUNCE } from "./announce.ts";
import type { Scripted } from "./scripted.ts";
import { STOPPED_BY_USER } from "./stopped.ts";

/** The runs whose outcomes pi has in this session, as far as this process knows. They are not announced again here. */
export function toldInMemory(
	conversation: Pick<Conversation, "entries">,
	scripted: Scripted = new Map(),
): Set<unknown> {
	return new Set(conversation.entries().flatMap((entry) => toldByEntry(entry, scripted)));
}

/** Those among them that a message of ours reports, not the result of a call. */
export const announcedInMemory = (conversation: Pick<Conversation, "entries">): Set<unknown> =>
	new Set(conversation.entries().flatMap((entry) => (entry.type === "custom_message" ? toldByMessage(entry) : [])));

/**
 * The runs that the session's file reports. The file is on the disk when this returns. Only then is an outcome
 * delivered: an entry that is queued, in the memory of a pi whose disk is full, or not yet flushed by the system is
 * lost with the machine. The file also has what other processes have written since we read it. For a session that is
 * not kept, only the memory counts.
 */
export function toldOnDisk(
	conversation: Pick<Conversation, "entries" | "file">,
	files: SessionFiles,
	scripted: Scripted = new Map(),
): Set<unknown> {
	const { file } = conversation;
	if (file === undefined) return toldInMemory(conversation, scripted);
	if (!files.exists(file)) return new Set();
	files.flush(file);
	const lines = (files.read(file, Number.POSITIVE_INFINITY) ?? "").split("\n");
	const signs = ['"runId"', ...scripted.keys()];
	return new Set(
		lines
			.filter((line) => signs.some((sign) => line.includes(sign)))
			.flatMap((line) => toldByEntry(parsedLine(line) as SessionEntry | null | undefined, scripted)),
	);
}

/**
 * The runs whose outcomes an entry reports: an announce, the line about runs that the user stopped, or the result of a
 * tool call that waited for them.
 */
function toldByEntry(entry: SessionEntry | null | undefined, scripted: Scripted): unknown[] {
	if (entry?.type === "custom_message") return toldByMessage(entry);
	if (entry?.type !== "message" || entry.message?.role !== "toolResult") return [];
	return toldByResult(entry.message, scripted);
}

function toldByMessage({ customType, details }: { customType: string; details?: unknown }): unknown[] {
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
export const toldBy = (results: readonly ToolResult[], scripted: Scripted): RunId[] =>
	results.flatMap((result) => toldByResult(result, scripted));

function toldByResult({ toolCallId, toolName, details }: ToolResult, scripted: Scripted): RunId[] {
	const byScript = scripted.get(toolCallId) ?? [];
	if (!isRecord(details)) return [...byScript];
	const { runId, status } = details;
	// Any other answer of sessions_send is a receipt: it names a run whose outcome is still to come.
	const tells = toolName === "subagent" || (toolName === "sessions_send" && (status === "ok" || status === "error"));
	return tells && typeof runId === "string" && isRunId(runId) ? [...byScript, runId] : [...byScript];
}
