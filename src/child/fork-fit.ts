import {
	type AgentSession,
	convertToLlm,
	type ExtensionFactory,
	estimateTokens,
	type SessionBeforeCompactEvent,
	type SessionEntry,
	serializeConversation,
	sessionEntryToContextMessages,
} from "@earendil-works/pi-coding-agent";
import { count } from "../run/amounts.ts";
import { messageOf } from "../run/message-of.ts";

/** Between two compactions: pi does not compact a session whose last entry is a compaction. */
const FORK_PART = "pi-geon:fork-part";
/** Enough for a conversation many times the size of the window. */
const MOST_ROUNDS = 24;

/** Why a copy cannot be made to fit. */
export interface NotFitting {
	/** `compaction`: pi's compaction failed, most likely the provider. `size`: it did not help. */
	why: "compaction" | "size";
	message: string;
}

type Preparation = SessionBeforeCompactEvent["preparation"];
type SummarizedMessage = Preparation["messagesToSummarize"][number];

/** Makes the copy of a parent's conversation, with which a child's session begins, fit the window of the child's model. */
export class ForkFit {
	/** The most that one request summarizes, while the copy is being compacted. */
	#mostTokens: number | undefined;
	/** Whether pi has found something to summarize. */
	#began = false;

	readonly guard: ExtensionFactory = (pi) => {
		pi.on("session_before_compact", ({ preparation, branchEntries }) => {
			this.#began = true;
			if (this.#mostTokens !== undefined) cutToPart(preparation, branchEntries, this.#mostTokens);
		});
		// pi adds the child's prompt with its first message, after the copy. Some providers accept a prompt only at the
		// beginning, so this moves it there for all.
		pi.on("context_with_system", ({ messages }) => {
			const prompt = messages.find(({ role }) => role === "system");
			if (prompt === undefined || messages[0] === prompt) return;
			return { messages: [prompt, ...messages.filter((message) => message !== prompt)] };
		});
	};

	/** Compacts the copy until it leaves room for the task. Call this before the task is given. */
	async fit(session: AgentSession, task: string): Promise<NotFitting | undefined> {
		let before = Number.POSITIVE_INFINITY;
		for (let round = 0; ; round++) {
			const { model, sessionManager } = session;
			if (!model || !(model.contextWindow > 0)) return undefined;
			const tokens = tokensWith(session, task);
			const room = roomIn(session, model);
			if (tokens <= room) return undefined;
			const tooLarge =
				`the copy of the conversation (some ${count(tokens)} tokens) is too large for the context window of ` +
				`${model.provider}/${model.id} (${count(model.contextWindow)})`;
			if (round === MOST_ROUNDS || tokens >= before) {
				return tokens < model.contextWindow ? undefined : { why: "size", message: `${tooLarge}, also compacted` };
			}
			before = tokens;
			keepAtMost(session, model, Math.floor(room / 2));
			this.#mostTokens = Math.floor(model.contextWindow / 2);
			if (sessionManager.getBranch().at(-1)?.type === "compaction") sessionManager.appendCustomEntry(FORK_PART);
			this.#began = false;
			try {
				await session.compact();
			} catch (error) {
				const why = this.#began ? "compaction" : "size";
				return { why, message: `${tooLarge}, and it could not be compacted: ${messageOf(error)}` };
			} finally {
				this.#mostTokens = undefined;
			}
		}
	}
}

type ChildModel = NonNullable<AgentSession["model"]>;

/** pi itself compacts to keep room for the answer. */
function roomIn({ settingsManager }: AgentSession, model: ChildModel): number {
	const room = model.contextWindow - settingsManager.getCompactionSettings(model).reserveTokens;
	return room > 0 ? room : Math.floor(model.contextWindow / 2);
}

/** In a small window, the part that pi keeps by default would fill it. */
function keepAtMost({ settingsManager }: AgentSession, model: ChildModel, keepRecentTokens: number): void {
	if (settingsManager.getCompactionSettings(model).keepRecentTokens <= keepRecentTokens) return;
	const modelOverrides = { [`${model.provider}/${model.id}`]: { keepRecentTokens } };
	settingsManager.applyOverrides({ compaction: { modelOverrides } });
}

/**
 * The approximate size of the first request: counted as pi does, with the prompt and the task, which are not in the session
 * yet.
 */
function tokensWith(session: AgentSession, task: string): number {
	const known = session.getContextUsage()?.tokens;
	const { messages } = session.sessionManager.buildSessionProjection();
	const copy = known ?? messages.reduce((sum, message) => sum + estimateTokens(message), 0);
	return copy + Math.ceil((session.systemPrompt.length + task.length) / 4);
}

/**
 * The part that pi is about to summarize may be larger than the window too. Then this round summarizes only its beginning,
 * and later rounds continue from that summary.
 */
function cutToPart(preparation: Preparation, branch: readonly SessionEntry[], mostTokens: number): void {
	const { messagesToSummarize, turnPrefixMessages } = preparation;
	if (tokensAsText(messagesToSummarize) <= mostTokens && tokensAsText(turnPrefixMessages) <= mostTokens) return;
	const entries = sinceCompaction(branch);
	let tokens = 0;
	let end = 0;
	for (const [index, { messages }] of entries.entries()) {
		tokens += tokensAsText(messages);
		if (tokens > mostTokens && end > 0) break;
		// A tool's result stays with its call.
		if (entries[index + 1]?.messages[0]?.role !== "toolResult") end = index + 1;
	}
	const next = entries[end];
	if (next === undefined) return;
	preparation.firstKeptEntryId = next.id;
	preparation.messagesToSummarize = entries.slice(0, end).flatMap(({ messages }) => messages);
	preparation.turnPrefixMessages = [];
	preparation.isSplitTurn = false;
}

/** The entries that no summary covers yet, and that the model sees. */
function sinceCompaction(branch: readonly SessionEntry[]): { id: string; messages: SummarizedMessage[] }[] {
	const last = branch.findLast((entry) => entry.type === "compaction");
	const start = last ? branch.findIndex(({ id }) => id === last.firstKeptEntryId) : 0;
	const from = start === -1 && last ? branch.indexOf(last) : start;
	return branch
		.slice(from)
		.map((entry) => ({ id: entry.id, messages: contextOf(entry) }))
		.filter(({ messages }) => messages.length > 0);
}

const contextOf = (entry: SessionEntry): SummarizedMessage[] =>
	entry.type === "compaction" ? [] : sessionEntryToContextMessages(entry).filter(({ role }) => role !== "system");

/** How many tokens messages take as the text that pi has summarized: it shortens tool results. */
const tokensAsText = (messages: SummarizedMessage[]): number =>
	Math.ceil(serializeConversation(convertToLlm(messages)).length / 4);
