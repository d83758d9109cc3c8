import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { CURRENT_SESSION_VERSION } from "@earendil-works/pi-coding-agent";
import type { ChildSession } from "../../plan/plan.ts";
import { type Refusal, refuse } from "../../run/errors.ts";
import { FORK, FORK_LINE } from "../../run/fork-line.ts";
import type { ProjectedEntry } from "./conversation.ts";
import { copiedLines } from "./copied-lines.ts";

/** Half the limit of a child's session file. */
const MOST_BYTES = 32 * 1024 * 1024;

interface CopyTo {
	session: ChildSession & { fork: string };
	/** Where the child works. */
	cwd: string;
	/** The file of the conversation, if it is saved. */
	parentFile: string | undefined;
}

/** Writes the beginning of a child's session: the conversation, and the line before its own task. */
export function copyConversation(
	conversation: readonly ProjectedEntry[],
	{ session, cwd, parentFile }: CopyTo,
): Refusal | undefined {
	const timestamp = new Date().toISOString();
	const header = { type: "session", version: CURRENT_SESSION_VERSION, id: session.id, timestamp, cwd };
	const text = copiedLines(conversation, {
		header: parentFile === undefined ? header : { ...header, parentSession: parentFile },
		last: { type: "custom_message", timestamp, customType: FORK, content: FORK_LINE, display: true },
	});
	const bytes = Buffer.byteLength(text);
	if (bytes > MOST_BYTES) return conversationTooLarge(bytes);
	writeDurably(session.fork, text);
	return undefined;
}

const conversationTooLarge = (bytes: number) =>
	refuse(
		"SUBAGENT_FAILED",
		`The conversation is too large for context: fork (${Math.ceil(bytes / 1024 / 1024)} MiB, at most 32 MiB are copied). ` +
			'Compact it (/compact), or start the subagent with context "fresh".',
		"fork_too_large",
	);

/** Returns once the copy has reached the disk: an admitted run must find it even after a power failure. */
function writeDurably(file: string, text: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	const descriptor = openSync(file, "wx", 0o600);
	try {
		for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest));
		fsyncSync(descriptor);
	} catch (error) {
		// Half a copy is useless, especially on a full disk.
		rmSync(file, { force: true });
		throw error;
	} finally {
		closeSync(descriptor);
	}
}
