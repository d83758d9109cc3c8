import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../collect/plain.ts";
import type { Services } from "../delegate.ts";
import { questionEnd } from "../operate/answer-question.ts";
import type { Ports } from "../ports/ports.ts";
import type { ChildQuestion } from "../run/question.ts";
import { ours, type Redacted, reshaped } from "../run/redacted.ts";
import type { ShowQuestion } from "../supervise/ask.ts";
import { QuestionDialogs } from "../supervise/question-dialogs.ts";
import { dialog, whoAsks } from "./ask-user.ts";
import { widthFor } from "./commands/show.ts";
import { inTurn } from "./dialog-line.ts";
import { parentLog } from "./parent-log.ts";
import type { PiConversation } from "./pi-conversation.ts";

/** The questions of a session's children, shown to the user of this pi. */
export const questionDialogs = (
	{ ctx, sessionId }: PiConversation,
	services: Pick<Services, "ledger" | "redactor" | "supervisor">,
	ports: Ports,
): QuestionDialogs =>
	new QuestionDialogs({ ...services, ports, log: parentLog, session: sessionId, show: showQuestion(ctx, services) });

/** Shows questions one after the other. */
function showQuestion(ctx: ExtensionContext, services: Pick<Services, "ledger" | "redactor">): ShowQuestion {
	return async ({ runId, question }, signal) => {
		const width = ctx.mode === "tui" ? widthFor(ctx) : undefined;
		const title = questionTitle(whoAsks(runId, services), question, width);
		const { options } = question;
		const show = () => dialog(ctx.ui, options ? { kind: "select", title, options } : { kind: "input", title }, signal);
		return questionEnd(question, await inTurn(ctx.ui, show, signal));
	};
}

const QUOTE_MARK = "> ";

/**
 * Marks each line of the question as a quotation, so that no part can pass for pi's words or ours. In a terminal, these are
 * lines of the screen, so that every part of a long line has the mark.
 */
export const questionTitle = (who: Redacted, { question }: ChildQuestion, width?: number): Redacted =>
	ours`${who} asks you:\n${reshaped(question, (text) =>
		plain(text)
			.split("\n")
			.flatMap((line) => (width === undefined ? [line] : wrapTextWithAnsi(line, width - QUOTE_MARK.length)))
			.map((line) => `${QUOTE_MARK}${line}`.trimEnd())
			.join("\n"),
	)}`;
