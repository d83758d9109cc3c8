import type { CompactionEntry, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { ProjectedEntry } from "./conversation.ts";

type SpokenMessage = ProjectedEntry["messages"][number];
type SpokenAnswer = Extract<SpokenMessage, { role: "assistant" }>;
type ResultMessage = Extract<SpokenMessage, { role: "toolResult" }>;

/** An entry of the copy before it is linked to the others. Without an id if the original does not have the entry. */
type CopiedEntry = { type: string; timestamp: string; id?: string } & Record<string, unknown>;

/** The text of a session file with a copy of a conversation, followed by one more entry. */
export function copiedLines(
	conversation: readonly ProjectedEntry[],
	{ header, last }: { header: object; last: CopiedEntry },
): string {
	const entries = [header, ...chained([...copiedEntries(conversation), last])];
	return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** Each entry continues from the one before it: the copy has one branch. */
function chained(entries: readonly CopiedEntry[]): object[] {
	let parentId: string | null = null;
	return entries.map((entry, index) => {
		const id = entry.id ?? `fork${String(index).padStart(4, "0")}`;
		const placed = { ...entry, id, parentId };
		parentId = id;
		return placed;
	});
}

/**
 * The entries of a copy of a conversation: only what its model saw and said, so that any provider accepts it. Left out are
 * the prompt and the tools, which are the parent's own; state of extensions, labels and names; hidden messages of extensions,
 * which instruct the parent; and the output of `!!` commands, which the model never saw.
 */
function copiedEntries(conversation: readonly ProjectedEntry[]): CopiedEntry[] {
	const said = withAnswers(conversation.flatMap(spoken));
	const compaction = said.findIndex(({ source }) => source.type === "compaction");
	const entries = said.map(copied);
	// The entries that the compaction kept come before it here, so the first entry is the first that was kept.
	const kept = compaction > 0 ? entries[0]?.id : entries[compaction]?.id;
	return entries.map((entry, index) => (index === compaction ? { ...entry, firstKeptEntryId: kept } : entry));
}

interface Spoken {
	source: SessionEntry;
	message: SpokenMessage;
}

function spoken({ sourceEntry: source, messages }: ProjectedEntry): Spoken[] {
	// The second message of a compaction is the summary; the first is the parent's prompt.
	const message = messages.find(({ role }) => role !== "system");
	if (message === undefined) return [];
	if (message.role === "custom" && !message.display) return [];
	if (message.role === "bashExecution" && message.excludeFromContext) return [];
	// Like pi, do not send a partial answer, which may contain a partial call.
	if (message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted")) return [];
	return [{ source, message }];
}

/**
 * Gives every call exactly one answer, right after it, and drops answers without a call. A call whose process was killed gets
 * an answer that says so. Leaves the last message out if its calls are still running.
 */
function withAnswers(all: readonly Spoken[]): Spoken[] {
	const kept: Spoken[] = [];
	for (const [index, each] of all.entries()) {
		if (each.message.role === "toolResult") continue;
		const calls = each.message.role === "assistant" ? callsOf(each.message) : [];
		if (calls.length === 0) {
			kept.push(each);
			continue;
		}
		let end = index + 1;
		while (end < all.length && all[end]?.message.role !== "assistant") end++;
		const after = all.slice(index + 1, end);
		const answers = new Set(after.filter(({ message }) => message.role === "toolResult"));
		const found = calls.map(({ id }) => {
			const answer = [...answers].find(({ message }) => isAnswerTo(message, id));
			// Some models give several calls the same id.
			if (answer) answers.delete(answer);
			return answer;
		});
		const isLast = end === all.length && after.every(({ message }) => message.role === "toolResult");
		if (isLast && found.includes(undefined)) continue;
		kept.push(each, ...found.map((answer, place) => answer ?? unanswered(each, calls[place])));
	}
	return kept;
}

const callsOf = ({ content }: SpokenAnswer) => content.flatMap((part) => (part.type === "toolCall" ? [part] : []));

const isAnswerTo = (message: SpokenMessage, id: string): boolean =>
	message.role === "toolResult" && message.toolCallId === id;

function unanswered({ source }: Spoken, call: { id: string; name: string } | undefined): Spoken {
	const message: ResultMessage = {
		role: "toolResult",
		toolCallId: call?.id ?? "",
		toolName: call?.name ?? "",
		content: [{ type: "text", text: "There is no result: the call was interrupted." }],
		isError: true,
		timestamp: Date.parse(source.timestamp) || 0,
	};
	return { source: { type: "message", id: "", parentId: null, timestamp: source.timestamp, message }, message };
}

function copied({ source, message }: Spoken): CopiedEntry {
	const { timestamp } = source;
	const head = { timestamp, ...(source.id !== "" && { id: source.id }) };
	switch (source.type) {
		case "custom_message": {
			const { customType, display } = source;
			return { ...head, type: "custom_message", customType, display, content: spokenContent(message) };
		}
		case "compaction":
			return { ...head, type: "compaction", ...pickedFrom(source) };
		case "branch_summary":
			return { ...head, type: "branch_summary", fromId: source.fromId, summary: source.summary };
		default:
			return { ...head, type: "message", message: withoutTheRest(message) };
	}
}

/** Without the usage, since the parent paid for the summary. */
const pickedFrom = ({ summary, tokensBefore, details, fromHook }: CompactionEntry) => ({
	summary,
	tokensBefore,
	...(details !== undefined && !fromHook && { details }),
});

const spokenContent = (message: SpokenMessage): unknown => ("content" in message ? message.content : "");

/**
 * The message as the model saw it, without the data that tools keep for the screen, which may be as large again. Answers cost
 * nothing here, because the parent has paid for them, but their tokens tell pi how full the context is.
 */
function withoutTheRest(message: SpokenMessage): object {
	if (message.role === "toolResult") {
		const { details: _details, usage: _usage, ...rest } = message as ResultMessage & { usage?: unknown };
		return rest;
	}
	if (message.role !== "assistant") return message;
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	return { ...message, usage: { ...message.usage, cost } };
}
