import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Conversation } from "../ports/conversation.ts";
import type { SessionFiles } from "../ports/session-files.ts";
import { isRunId, type RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { ANNOUNCE } from "./announce.ts";

/** The runs of which pi has been told in this session, as far as this process knows. They are not announced again here. */
export function toldInMemory(conversation: Pick<Conversation, "entries">): Set<unknown> {
	return new Set(conversation.entries().map(toldByEntry));
}

/**
 * The runs of which the session's file tells, which is on the disk when this returns. Only then is a debt paid: what is
 * queued, in the memory of a pi whose disk is full, or not yet written out by the system, dies with the machine. It also
 * has what other processes have written since we read it. A session that is not kept has its memory only.
 */
export function toldOnDisk(conversation: Pick<Conversation, "entries" | "file">, files: SessionFiles): Set<unknown> {
	const { file } = conversation;
	if (file === undefined) return toldInMemory(conversation);
	if (!files.exists(file)) return new Set();
	files.flush(file);
	const lines = (files.read(file, Number.POSITIVE_INFINITY) ?? "").split("\n");
	return new Set(
		lines
			.filter((line) => line.includes('"runId"'))
			.map((line) => toldByEntry(parsedLine(line) as SessionEntry | null | undefined)),
	);
}

/** The run whose outcome an entry tells: an announce, or the result of a tool call that waited for it. */
function toldByEntry(entry: SessionEntry | null | undefined): unknown {
	if (entry?.type === "custom_message" && entry.customType === ANNOUNCE) {
		return isRecord(entry.details) ? entry.details.announceId : undefined;
	}
	if (entry?.type !== "message" || entry.message?.role !== "toolResult") return undefined;
	return runToldBy(entry.message.toolName, entry.message.details);
}

/** The runs whose outcomes these tool results tell. */
export const toldBy = (results: readonly { toolName: string; details?: unknown }[]): RunId[] =>
	results.flatMap(({ toolName, details }) => runToldBy(toolName, details) ?? []);

/** The run whose outcome the result of a tool call tells, if it tells any. */
function runToldBy(toolName: string, details: unknown): RunId | undefined {
	if (!isRecord(details)) return undefined;
	const { runId, status } = details;
	// Any other answer of sessions_send is a receipt: it names a run whose outcome is still to come.
	const tells = toolName === "subagent" || (toolName === "sessions_send" && (status === "ok" || status === "error"));
	return tells && typeof runId === "string" && isRunId(runId) ? runId : undefined;
}
