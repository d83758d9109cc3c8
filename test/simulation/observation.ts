import type { Conversation } from "../../src/ports/conversation.ts";
import { parsedLine } from "../../src/run/json-line.ts";
import type { Entry } from "../faults/evidence.ts";

/** What can be seen of a conversation at one moment: whether it rests, what it remembers, and what its file holds. */
export function observation(
	moment: string,
	talk: Pick<Conversation, "isIdle" | "hasPending" | "entries">,
	file: string,
): string {
	const onDisk = file.split("\n").flatMap((line) => (parsedLine(line) as Entry | undefined) ?? []);
	const state = [talk.isIdle() ? "idle" : "busy", ...(talk.hasPending() ? ["pending"] : [])].join(", ");
	const remembered = kinds(talk.entries() as unknown as Entry[]);
	const written = kinds(onDisk);
	return `${moment}: ${state}; ${remembered}${written === remembered ? "" : `; on disk: ${written}`}`;
}

/** What is said, by whom: settings and marks are left out. */
function kinds(entries: readonly Entry[]): string {
	const said = entries.flatMap(({ type, message, customType }) => {
		if (type === "custom_message") return customType ?? [];
		if (type !== "message" || !message || message.role === "system") return [];
		return message.stopReason === "error" || message.stopReason === "aborted" ? `${message.role}!` : message.role;
	});
	return said.join(" ") || "nothing";
}
