import { existsSync } from "node:fs";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunRecord } from "../ledger/records.ts";
import { archivedFile } from "../ledger/session-files.ts";
import { findSession, type SessionRecord } from "../ledger/sessions.ts";
import { currentBranch, entriesIn } from "../ledger/transcript.ts";
import { diskFiles } from "../ports/session-files.ts";
import { ownPart } from "../run/fork-line.ts";
import { FINALIZE_TOOL } from "../run/outcome.ts";
import type { Redacted } from "../run/redacted.ts";

/** One thing that was said in a child session. */
export interface ChildMessage<Text extends string = Redacted> {
	role: "user" | "assistant" | "tool";
	/** The tool, for a tool's answer. */
	tool?: string;
	text: Text;
	/** How many characters were left out of the text. */
	moreChars?: number;
	/** Absent if the file has no time: a child with a shell can write into it. */
	at?: string;
}

/** Where the transcript of a session is: under its own name, or archived. */
export function transcriptOf({ file, archivedAt }: Pick<SessionRecord, "file" | "archivedAt">): string | undefined {
	const places = archivedAt === undefined ? [file] : [archivedFile(file, archivedAt), file];
	return places.find((place) => existsSync(place));
}

/** Where the transcript of a run's session is. */
export const transcriptOfRun = ({ sessionId, plan }: RunRecord, ledger: Ledger): string | undefined =>
	transcriptOf(findSession(ledger, sessionId) ?? plan.session);

/** All messages of a session, oldest first. Not redacted, since callers show only some of them, and redact those. */
export function messagesIn(file: string, { includeTools }: { includeTools: boolean }): ChildMessage<string>[] {
	return ownPart(currentBranch(entriesIn(file, diskFiles))).flatMap((entry) =>
		messagesOf(entry).filter(({ role, text }) => text !== "" && (includeTools || role !== "tool")),
	);

	function messagesOf(entry: SessionEntry): ChildMessage<string>[] {
		const at = timeOf(entry);
		if (entry.type === "custom_message") return [{ role: "user", text: plainText(entry.content), ...at }];
		if (entry.type !== "message") return [];
		const { message } = entry;
		if (message.role === "user") return [{ role: "user", text: plainText(message.content), ...at }];
		if (message.role === "toolResult") {
			return [{ role: "tool", tool: message.toolName, text: plainText(message.content), ...at }];
		}
		if (message.role !== "assistant") return [];
		const failure = message.stopReason === "error" ? [`(failed: ${message.errorMessage ?? "no reason given"})`] : [];
		const calls = message.content.flatMap((part) => {
			if (part.type !== "toolCall") return [];
			// The child's result is its answer, so it is shown with or without tools.
			if (part.name === FINALIZE_TOOL) return [returnedAnswer(part.arguments)];
			return includeTools ? [`→ ${part.name} ${JSON.stringify(part.arguments)}`] : [];
		});
		const text = [plainText(message.content), ...calls, ...failure].filter((part) => part !== "").join("\n");
		return [{ role: "assistant", text, ...at }];
	}
}

/** The time of an entry, checked: it is shown as our words, outside the child's. */
export function timeOf({ timestamp }: { timestamp: unknown }): { at?: string } {
	const time = typeof timestamp === "string" ? new Date(timestamp) : undefined;
	return time === undefined || Number.isNaN(time.getTime()) ? {} : { at: time.toISOString() };
}

type Content = string | readonly { type: string; text?: string }[];

function plainText(content: Content): string {
	if (typeof content === "string") return content.trim();
	const parts = content.map((part) => (part.type === "image" ? "(an image)" : part.type === "text" ? part.text : ""));
	return parts.filter(Boolean).join("\n").trim();
}

function returnedAnswer(call: Record<string, unknown>): string {
	const parts = [call.error, call.result].filter((part) => typeof part === "string" && part !== "");
	return `${call.status === "ERROR" ? "ERROR: " : ""}${parts.join("\n")}`;
}
