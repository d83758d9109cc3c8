import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { plain } from "../../collect/plain.ts";
import type { Redactor } from "../../collect/redact/redactor.ts";
import { headOfText } from "../../operate/excerpt.ts";
import { FINALIZE_TOOL } from "../../run/outcome.ts";
import { ours, type Redacted, reshaped } from "../../run/redacted.ts";
import { callLine } from "../view/activity.ts";
import { fieldsOf, storedList, textOf } from "../view/stored.ts";

/** One thing that was said or done in a child session, without control characters. */
export type TranscriptItem =
	/** Asked: the task, or a steering message. */
	| { kind: "asked" | "said" | "called" | "note"; text: Redacted }
	/** A message of the watching user. */
	| { kind: "steered"; text: Redacted }
	| { kind: "returned"; tool: Redacted; text: Redacted; isError: boolean }
	| { kind: "answer"; text: Redacted; isError: boolean };

/** A tool may return a megabyte; the file has all of it. */
const MOST_CHARS = 20_000;

/** The items that an entry of a session file shows. Skips unknown content, since the file may contain anything. */
export function itemsOf(entry: SessionEntry, redact: Redactor["redact"]): TranscriptItem[] {
	const clean = (text: string) => reshaped(headOfText(redact(text), MOST_CHARS), (shown) => plain(shown).trim());
	const fields = fieldsOf(entry) ?? {};
	if (fields.type === "custom_message") return steered(textIn(fields.content));
	if (fields.type === "compaction") return [{ kind: "note", text: ours`The conversation was compacted here.` }];
	const message = fieldsOf(fields.message);
	if (fields.type !== "message" || !message) return [];
	if (message.role === "user") return asked(textIn(message.content));
	if (message.role === "toolResult") return returned();
	return message.role === "assistant" ? [...storedList(message.content).flatMap(partOf), ...failure()] : [];

	function asked(text: string): TranscriptItem[] {
		return text.trim() === "" ? [] : [{ kind: "asked", text: clean(text) }];
	}

	/** Drops the line that tells the child who sent the message: the screen shows that in another way. */
	function steered(text: string): TranscriptItem[] {
		if (fieldsOf(fields.details)?.sender !== "user") return asked(text);
		return [{ kind: "steered", text: clean(text.slice(text.indexOf("\n\n") + 2)) }];
	}

	function returned(): TranscriptItem[] {
		const tool = textOf(message?.toolName) ?? "tool";
		if (tool === FINALIZE_TOOL && message?.isError !== true) return [];
		return [
			{
				kind: "returned",
				tool: clean(tool),
				text: clean(textIn(message?.content)),
				isError: message?.isError === true,
			},
		];
	}

	function partOf(stored: unknown): TranscriptItem[] {
		const part = fieldsOf(stored) ?? {};
		const text = textOf(part.text);
		if (part.type === "text" && text !== undefined && text.trim() !== "") return [{ kind: "said", text: clean(text) }];
		if (part.type !== "toolCall") return [];
		const args = fieldsOf(part.arguments) ?? {};
		if (part.name === FINALIZE_TOOL) return [returnedAnswerItem(args)];
		return [{ kind: "called", text: clean(callLine({ name: part.name, args })) }];
	}

	function returnedAnswerItem(args: Readonly<Record<string, unknown>>): TranscriptItem {
		const parts = [textOf(args.error), textOf(args.result)].filter((part) => part !== undefined);
		return { kind: "answer", text: clean(parts.join("\n\n")), isError: args.status === "ERROR" };
	}

	function failure(): TranscriptItem[] {
		if (message?.stopReason === "aborted") return [{ kind: "note", text: ours`Aborted.` }];
		if (message?.stopReason !== "error") return [];
		return [
			{ kind: "note", text: ours`The model failed: ${clean(textOf(message.errorMessage) ?? "no reason given")}` },
		];
	}
}

function textIn(content: unknown): string {
	if (typeof content === "string") return content;
	return storedList(content)
		.map((stored) => {
			const part = fieldsOf(stored);
			return part?.type === "image" ? "(an image)" : (textOf(part?.text) ?? "");
		})
		.filter((text) => text !== "")
		.join("\n");
}
