import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { plain } from "../collect/plain.ts";
import type { Services } from "../delegate.ts";
import type { Ports } from "../ports/ports.ts";
import type { ChildQuestion, QuestionEnd } from "../run/question.ts";
import { ours, type Redacted, reshaped } from "../run/redacted.ts";
import type { ShowQuestion } from "../supervise/ask.ts";
import { QuestionDialogs } from "../supervise/question-dialogs.ts";
import { dialog, whoAsks } from "./ask-user.ts";
import { inTurn } from "./dialog-line.ts";
import { parentLog } from "./parent-log.ts";
import type { PiConversation } from "./pi-conversation.ts";

/** What a child gets to read of an answer. */
const LONGEST_ANSWER = 50_000;

/** The questions of a session's children, before the user of this pi. */
export const questionDialogs = (
	{ ctx, sessionId }: PiConversation,
	services: Pick<Services, "ledger" | "redactor" | "supervisor">,
	ports: Ports,
): QuestionDialogs =>
	new QuestionDialogs({ ...services, ports, log: parentLog, session: sessionId, show: showQuestion(ctx, services) });

/** One dialog after the other. */
function showQuestion(ctx: ExtensionContext, services: Pick<Services, "ledger" | "redactor">): ShowQuestion {
	return async ({ runId, question }, signal) => {
		const title = questionTitle(whoAsks(runId, services), question);
		const { options } = question;
		const show = () => dialog(ctx.ui, options ? { kind: "select", title, options } : { kind: "input", title }, signal);
		return questionEnd(question, await inTurn(ctx.ui, show, signal));
	};
}

/** Marked as a quotation, line by line: none of it can pass for words of pi's or ours. */
export const questionTitle = (who: Redacted, { question }: ChildQuestion): Redacted =>
	ours`${who} asks you:\n${reshaped(question, (text) =>
		plain(text)
			.split("\n")
			.map((line) => `> ${line}`.trimEnd())
			.join("\n"),
	)}`;

/** An empty answer tells a child nothing: it is none. */
export function questionEnd({ options }: ChildQuestion, given: unknown): QuestionEnd {
	const chosen = typeof given === "number" ? options?.[given] : undefined;
	if (typeof given === "number" && chosen !== undefined) return { answered: true, answer: chosen, option: given };
	if (typeof given !== "string" || given.trim() === "") return { answered: false, declined: "user" };
	if (given.length <= LONGEST_ANSWER) return { answered: true, answer: given };
	return { answered: true, answer: `${given.slice(0, LONGEST_ANSWER).toWellFormed()}… (cut)` };
}
