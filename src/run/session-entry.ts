import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { isRecord } from "./is-record.ts";

/** Whether a line of a session file is an entry as pi writes them, as far as we read it. */
export function isEntry(line: unknown): line is SessionEntry {
	if (!isRecord(line) || typeof line.type !== "string" || typeof line.id !== "string") return false;
	if (line.parentId !== null && typeof line.parentId !== "string") return false;
	if (line.type === "custom_message") return isContent(line.content);
	if (line.type !== "message") return true;
	return isRecord(line.message) && isMessage(line.message);
}

function isMessage({ role, content }: Record<string, unknown>): boolean {
	switch (role) {
		case "user":
		case "custom":
			return isContent(content);
		case "assistant":
		case "toolResult":
			return Array.isArray(content) && isContent(content);
		default: // pi's own entries, which we do not read.
			return typeof role === "string";
	}
}

const isContent = (content: unknown): boolean =>
	typeof content === "string" || (Array.isArray(content) && content.every(isContentPart));

const isContentPart = (part: unknown): boolean =>
	isRecord(part) && (part.type !== "toolCall" || (typeof part.name === "string" && isRecord(part.arguments)));
