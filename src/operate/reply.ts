import type { Redactor } from "../collect/redact/redactor.ts";
import { shownToModel } from "../deliver/whole-answer.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { sessionKey } from "../run/ids.ts";

/** What a child answered to a message: the outcome of the run that took it in. */
export type Reply =
	| { status: "ok"; reply: string; runId: string; sessionKey: string }
	| { status: "error"; error: string; reply?: string; runId: string; sessionKey: string };

export function replyOf(record: EndedRecord, redactor: Redactor, { taken }: { taken: boolean }): Reply {
	const { run, plan, sessionId } = record;
	const { outcome } = run;
	const about = { runId: run.id, sessionKey: sessionKey(plan.principal.id, sessionId) };
	const { text: reply } = shownToModel(outcome.output ?? "", record);
	if (outcome.status === "success" && taken) return { status: "ok", reply, ...about };
	const failure = outcome.status === "success" ? [] : [redactor.redact(outcome.error.message)];
	const error = [...failure, ...(taken ? [] : ["Your message was not taken in."])].join(" ");
	return { status: "error", error, ...(reply !== "" && { reply }), ...about };
}
