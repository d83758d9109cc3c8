import { readFileSync } from "node:fs";
import type { ModelRequest } from "../../demo/offline-model.ts";

const INTERRUPTION = "The process you ran in was interrupted";

/** How often a child was told that it was interrupted. */
export const interruptions = ({ messages }: Pick<ModelRequest, "messages">): number =>
	JSON.stringify(messages).split(INTERRUPTION).length - 1;

interface Entry {
	id?: string;
	parentId?: string | null;
	type: string;
	message?: { role: string; content: unknown };
}

/** A child's session file, as far as recovery goes. */
export function readTranscript(file: string) {
	const text = readFileSync(file, "utf8");
	const entries = text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as Entry);
	const [, ...rest] = entries;
	return {
		text,
		interruptions: text.split(INTERRUPTION).length - 1,
		/** Tool calls of the child, in order, by name. */
		toolCalls: entries.flatMap(({ message }) =>
			message?.role === "assistant" && Array.isArray(message.content)
				? message.content.flatMap((part: { type: string; name?: string }) =>
						part.type === "toolCall" ? [String(part.name)] : [],
					)
				: [],
		),
		/** Whether each entry continues from the one before it: with two writers, there would be branches. */
		isOneLine: rest.every((entry, index) => index === 0 || entry.parentId === rest[index - 1]?.id),
	};
}
