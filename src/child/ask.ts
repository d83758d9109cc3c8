import { defineTool, type ExtensionContext, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { inOneLine, plain } from "../collect/plain.ts";
import type { QuestionRecord } from "../ledger/questions.ts";
import { diskFiles } from "../ports/session-files.ts";
import type { RunId } from "../run/ids.ts";
import { legible } from "../run/legible.ts";
import { FINALIZE_TOOL } from "../run/outcome.ts";
import { ASK_TOOL, type ChildQuestion, type DeclineCause, type QuestionEnd } from "../run/question.ts";
import type { Redacted } from "../run/redacted.ts";

/** What fits into a dialog. A child with a longer question should reduce it to what it needs to know. */
const LONGEST_ASKED = 2_000;
const MOST_QUESTION_LINES = 30;
const LONGEST_CHOICE = 200;
const MOST_CHOICES = 20;

/** How a question of a child ended. */
export type EndedQuestion = QuestionEnd & {
	/** Absent if it was never asked. */
	seq?: number;
	/** The question that was actually answered, if an earlier attempt asked it in other words. */
	earlier?: ChildQuestion;
};

/** How the child of one run asks its questions, through its host. */
export interface RunQuestions {
	ask(question: ChildQuestion, signal: AbortSignal): Promise<EndedQuestion>;
	/** A question of an earlier attempt whose end the session does not contain. */
	untaken(): QuestionRecord | undefined;
	/** The session's file now contains how it ended. */
	taken(seq: number): void;
}

export interface AskingSetup {
	runId: RunId;
	questions: RunQuestions;
	redact(text: string): Redacted;
	/** After this fires, the user is asked no more questions. */
	over: AbortSignal;
}

type AskingTranscript = ExtensionContext["sessionManager"];

interface AskCall {
	question: string;
	options?: string[];
}

/**
 * One schema for all runs: pi compiles every schema that it has not seen before. It sets no maximum lengths, because pi's
 * complaint would repeat the whole text.
 */
const askParameters = Type.Object(
	{ question: Type.String(), options: Type.Optional(Type.Array(Type.String())) },
	{ additionalProperties: false },
);

/** The tool with which a child asks the user. Its result says how the question ended, so the child's session does too. */
export class Asking {
	readonly tool: ToolDefinition;
	readonly #setup: AskingSetup;
	/** Given to pi, but not yet seen in the session. */
	readonly #given = new Set<number>();
	/** The user is asked one question at a time, even if a model asks several at once. */
	#before: Promise<unknown> = Promise.resolve();

	constructor(setup: AskingSetup) {
		this.#setup = setup;
		this.tool = defineTool({
			name: ASK_TOOL,
			label: "Ask the user",
			description:
				"Ask the user one question and wait for the answer. Only for what you cannot find out or decide yourself, and " +
				"cannot do your task without. `options`: the answers to choose from, if there are few. " +
				"Returns { answered, answer? }.",
			parameters: askParameters,
			execute: (_id, call, signal) => {
				const asked = this.#before.then(() => this.#ask(call, signal));
				this.#before = asked.catch(() => {}); // That call reports its own failure.
				return asked;
			},
		});
	}

	/** Call this whenever the session has changed. Marks the questions whose end it now contains. */
	observe(transcript: AskingTranscript): void {
		if (this.#given.size > 0) this.#settle(transcript, [...this.#given]);
	}

	/** What the next attempt of a run has to know about a question of the previous one. */
	recall(transcript: AskingTranscript): string {
		const asked = this.#setup.questions.untaken();
		if (!asked || this.#settle(transcript, [asked.seq])) return "";
		const { question, options } = asked.question;
		const call = JSON.stringify({ question, ...(options && { options }) });
		return ` You had asked the user a question. To get the answer, call ${ASK_TOOL} again with exactly these arguments: ${call}`;
	}

	async #ask(call: AskCall, signal: AbortSignal | undefined) {
		const { questions, over, redact } = this.#setup;
		const asked = readAskCall(call, redact);
		if ("problem" in asked) throw new Error(asked.problem);
		const end = await questions.ask(asked, signal ? AbortSignal.any([over, signal]) : over);
		if (end.seq !== undefined) this.#given.add(end.seq);
		return this.#reply(end, call);
	}

	#reply(end: EndedQuestion, call: AskCall) {
		const chosen = end.answered && end.option !== undefined && !end.earlier ? call.options?.[end.option] : undefined;
		const result = end.answered ? { answered: true, answer: chosen ?? end.answer } : { answered: false };
		const note = end.answered ? earlierNote(end.earlier) : DECLINED[end.declined] + GO_ON;
		const { runId } = this.#setup;
		return {
			content: [JSON.stringify(result), ...(note === "" ? [] : [note])].map((text) => ({
				type: "text" as const,
				text,
			})),
			details: { ...result, runId, ...(end.seq !== undefined && { seq: end.seq }) },
		};
	}

	/** Whether the session contains the end of any. */
	#settle(transcript: AskingTranscript, seqs: readonly number[]): boolean {
		const held = endsHeldBy(transcript, this.#setup.runId);
		const settled = seqs.filter((seq) => held.has(seq));
		const file = transcript.getSessionFile();
		if (settled.length > 0 && file !== undefined) diskFiles.flush(file);
		for (const seq of settled) {
			this.#setup.questions.taken(seq);
			this.#given.delete(seq);
		}
		return settled.length > 0;
	}
}

/**
 * The question as the user sees it, or what is wrong with it. Redacts it last, after removing the characters that might hide
 * a secret.
 */
export function readAskCall(
	{ question, options = [] }: AskCall,
	redact: (text: string) => Redacted,
): ChildQuestion | { problem: string } {
	const remedy = "Nothing was asked. Ask again in fewer words.";
	const size = question.length.toLocaleString("en-US");
	if (question.length > LONGEST_ASKED)
		return { problem: `\`question\` has ${size} characters, of at most 2,000. ${remedy}` };
	if (options.length > MOST_CHOICES)
		return { problem: `There are ${options.length} options, of at most 20. ${remedy}` };
	if (options.some((option) => option.length > LONGEST_CHOICE))
		return { problem: `An option has more than 200 characters. ${remedy}` };
	const shown = redact(
		legible(plain(question))
			.replace(/\n{3,}/g, "\n\n")
			.trim(),
	);
	if (shown === "") return { problem: "`question` is empty. Nothing was asked." };
	if (shown.split("\n").length > MOST_QUESTION_LINES)
		return { problem: `\`question\` has more than 30 lines. ${remedy}` };
	const choices = options.map((option) => redact(legible(inOneLine(option)).trim()));
	if (choices.includes("" as Redacted)) return { problem: "An option is empty. Nothing was asked." };
	return { question: shown, ...(choices.length > 0 && { options: choices }) };
}

/** The numbers of the questions of a run whose end the session contains. */
function endsHeldBy(transcript: AskingTranscript, runId: RunId): Set<unknown> {
	return new Set(
		transcript.getBranch().map((entry) => {
			if (entry.type !== "message" || entry.message.role !== "toolResult") return undefined;
			const details = entry.message.details as { runId?: unknown; seq?: unknown } | null | undefined;
			return entry.message.toolName === ASK_TOOL && details?.runId === runId ? details.seq : undefined;
		}),
	);
}

const DECLINED: Readonly<Record<DeclineCause, string>> = {
	user: "The user did not answer this question.",
	nobody: "No user is here to answer.",
	time: "No user was there to answer in time.",
	ended: "Your work is being ended.",
	replaced: "You asked something else in its place.",
};

const GO_ON =
	" Do not ask it again. Continue without the answer, and report what you assumed. If you cannot, call " +
	`${FINALIZE_TOOL} with status ERROR, and say what is missing.`;

const earlierNote = (earlier: ChildQuestion | undefined): string =>
	earlier === undefined
		? ""
		: `This is the answer to what you had asked before you were interrupted: ${JSON.stringify(earlier.question)}. ` +
			"Your new question was not asked. Ask it again if you still need to know.";
