import { inOneLine } from "../collect/plain.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { type ChildsWords, childsWords } from "../deliver/childs-words.ts";
import { shownToModel } from "../deliver/whole-answer.ts";
import { isOurs } from "../deliver/whose-words.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { sessionKey } from "../run/ids.ts";
import { legible } from "../run/legible.ts";

interface About {
	runId: string;
	sessionKey: string;
	/** On a reply that is not whole. */
	note?: string;
	/** What the run went without, one line each. A reply counts as delivered, so that nothing else says it. */
	warning?: string;
}

/** What a child answered to a message: the outcome of the run that took it in. */
export type Reply =
	| ({ status: "ok"; reply: string } & About)
	| ({ status: "error"; error: string; reply?: string } & About);

interface Replying {
	/** Whether the run took the message in. */
	taken: boolean;
	/** For a model: marks what the child wrote. */
	words?: ChildsWords;
}

export function replyOf(record: EndedRecord, redactor: Redactor, { taken, words }: Replying): Reply {
	const { run, plan, sessionId } = record;
	const { outcome } = run;
	const marked = (text: string): string => (words ? words.around(text) : redactor.redact(text));
	const { text, whereabouts } = shownToModel(outcome.output ?? "", record);
	const warnings = outcome.warnings.map((warning) => redactor.redact(inOneLine(legible(warning))));
	const about = {
		runId: run.id,
		sessionKey: sessionKey(plan.principal.id, sessionId),
		...(whereabouts !== undefined && { note: redactor.redact(whereabouts) }),
		...(warnings.length > 0 && { warning: warnings.join("\n") }),
	};
	if (outcome.status === "success" && taken) return { status: "ok", reply: marked(text), ...about };
	const failure =
		outcome.status === "success"
			? []
			: [isOurs(outcome) ? redactor.redact(outcome.error.message) : marked(outcome.error.message)];
	const error = [...failure, ...(taken ? [] : ["Your message was not received."])].join(" ");
	return { status: "error", error, ...(text !== "" && { reply: marked(text) }), ...about };
}

/** The same for a model. */
export function markedReply(record: EndedRecord, redactor: Redactor, { taken }: { taken: boolean }): object {
	const words = childsWords(redactor);
	return { about: words.sentence, ...replyOf(record, redactor, { taken, words }) };
}
