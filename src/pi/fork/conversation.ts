import { rmSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { callOfScript } from "../../deliver/scripted.ts";
import type { ParentConversation } from "../../plan/fork.ts";

type ParentSession = ExtensionContext["sessionManager"];

/** The messages that pi would send for an entry. */
export type ProjectedEntry = ReturnType<ParentSession["buildSessionProjection"]>["entries"][number];

/** Writes a copy. Part of the code that is loaded on demand. */
type Copying = { copyConversation: typeof import("./copy.ts").copyConversation };

/** The conversation of a session in pi, as far as its model still knows it. */
export function conversationToFork(
	{ sessionManager }: Pick<ExtensionContext, "sessionManager">,
	load: () => Promise<Copying>,
): ParentConversation {
	const before = (toolCall: string | undefined) => entriesBefore(toolCall, sessionManager);
	return {
		isEmpty: (toolCall) => !before(toolCall).some(({ messages }) => messages.some(({ role }) => role !== "system")),
		async copy({ toolCall, ...to }) {
			const { copyConversation } = await load();
			return copyConversation(before(toolCall), { ...to, parentFile: sessionManager.getSessionFile() });
		},
		discard: (fork) => rmSync(fork, { force: true }),
	};
}

/**
 * The entries before the message that made the call, or all of them if there is no call. They are in the order in which they
 * were written: pi puts its last compaction first.
 */
function entriesBefore(toolCall: string | undefined, sessionManager: ParentSession): ProjectedEntry[] {
	const place = new Map(sessionManager.getBranch().map(({ id }, index) => [id, index]));
	const at = ({ sourceEntry }: ProjectedEntry) => place.get(sourceEntry.id) ?? 0;
	const entries = [...sessionManager.buildSessionProjection().entries].sort((a, b) => at(a) - at(b));
	const end = toolCall === undefined ? -1 : entries.findIndex((entry) => isCaller(entry, toolCall));
	return end === -1 ? entries : entries.slice(0, end);
}

const isCaller = ({ sourceEntry }: ProjectedEntry, toolCall: string): boolean =>
	sourceEntry.type === "message" &&
	sourceEntry.message.role === "assistant" &&
	sourceEntry.message.content.some(
		(part) => part.type === "toolCall" && [toolCall, callOfScript(toolCall)].includes(part.id),
	);
