import { existsSync, readFileSync } from "node:fs";
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { ANNOUNCE } from "./announce.ts";

type Transcript = ExtensionContext["sessionManager"];

/**
 * The runs whose announces the transcript of the session that asked holds. Only then is a debt paid: a message that is
 * queued, or in memory of a session whose file is not written yet, dies with the process.
 */
export function announcesHeld(transcript: Transcript): Set<unknown> {
	const file = transcript.getSessionFile();
	if (file !== undefined && !existsSync(file)) return new Set();
	return new Set(
		transcript.getEntries().flatMap((entry) => {
			if (entry.type === "custom_message" && entry.customType === ANNOUNCE) return [announceIdOf(entry.details)];
			// A result that a tool call returned has been told as well, whether or not we lived to write that down.
			if (entry.type === "message" && entry.message.role === "toolResult") return [toldBy(entry.message)];
			return [];
		}),
	);
}

/** The run whose outcome a tool result carries. A receipt names a run too, but tells nothing of it. */
function toldBy({ toolName, details }: { toolName: string; details?: unknown }): unknown {
	if (typeof details !== "object" || details === null || !("runId" in details)) return undefined;
	if (toolName === "subagent") return details.runId;
	const isReply =
		toolName === "sessions_send" && "status" in details && (details.status === "ok" || details.status === "error");
	return isReply ? details.runId : undefined;
}

/** The same for what other processes may have written into the file since we read it. */
export function announcesInFile(transcript: Transcript): Set<unknown> {
	const file = transcript.getSessionFile();
	if (file === undefined || !existsSync(file)) return new Set();
	const lines = readFileSync(file, "utf8").split("\n");
	return new Set(lines.filter((line) => line.includes(ANNOUNCE)).map(announcedIn));
}

/** Only what an announce itself says: the same words in what a child wrote, or called a tool with, tell nothing. */
function announcedIn(line: string): unknown {
	try {
		const entry = JSON.parse(line) as SessionEntry | null;
		const isAnnounce = entry?.type === "custom_message" && entry.customType === ANNOUNCE;
		return isAnnounce ? announceIdOf(entry.details) : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined; // Half a line, of a process that was killed.
		throw error;
	}
}

const announceIdOf = (details: unknown): unknown =>
	typeof details === "object" && details !== null && "announceId" in details ? details.announceId : undefined;
