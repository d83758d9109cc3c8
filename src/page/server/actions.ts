import type { Ledger } from "../../ledger/ledger.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { answerQuestion } from "../../operate/answer-question.ts";
import { applyChanges, undoChanges } from "../../operate/apply.ts";
import { branchChanges, discardChanges } from "../../operate/branch-and-discard.ts";
import { type Denial, isDenial } from "../../operate/denial.ts";
import { stopRun, userStops } from "../../operate/stop.ts";
import { recover } from "../../processes/recover.ts";
import { systemPorts } from "../../processes/system-ports.ts";
import { isRecord } from "../../run/is-record.ts";
import { wakeHosts } from "../../supervise/wake-hosts.ts";
import type { ActionAnswers, AnswerBody, BranchBody, SendBody } from "../api/actions.ts";
import type { ACTION_ROUTES } from "../api/routes.ts";
import { questionNamed } from "./detail.ts";
import type { Hub } from "./hub.ts";
import { BY_PAGE, type PageSources } from "./sources.ts";

export type ActionName = keyof typeof ACTION_ROUTES;

export interface ActionSetup {
	sources: PageSources;
	hub: Hub;
}

/** The problem with the request itself. */
export interface BadRequest {
	badRequest: string;
}

export type Act<Name extends ActionName = ActionName> = (
	record: RunRecord,
	body: Record<string, unknown>,
	at: ActionSetup & { ledger: Ledger },
) => Promise<ActionAnswers[Name] | Denial | BadRequest>;

/** The unchecked data that a page sends. */
type SentBody<Body> = Partial<Record<keyof Body, unknown>>;

/** The user's actions on the page. They are the same as in the shell, and recorded in the same way. */
export const ACTIONS_OF_PAGE: { readonly [Name in ActionName]: Act<Name> } = {
	async stop(record, _body, { ledger, sources: { log, ended } }) {
		const stopped = stopRun(ledger, record, userStops(BY_PAGE));
		if (stopped.was === "open") log.info("stop requested", { runId: stopped.runId, by: BY_PAGE });
		// Do not wait for heartbeats: this makes hosts end their runs now, and ends queued runs here.
		await wakeHosts(ledger, systemPorts);
		for (const runId of recover({ ledger, log, ports: systemPorts })) ended(runId, ledger);
		return stopped;
	},

	async send(record, { message }: SentBody<SendBody>, { ledger, sources }) {
		if (typeof message !== "string" || message.trim() === "") return { badRequest: "The message is empty." };
		return sources.post(record, message.trim(), ledger);
	},

	async answer({ run }, { questionId, answer }: SentBody<AnswerBody>, { ledger, sources: { log }, hub }) {
		const named = typeof questionId === "string" ? questionNamed(questionId) : undefined;
		if (!named) return { badRequest: "Name a question by its questionId." };
		if (!isAnswer(answer)) return { badRequest: "An answer is a text, true or false, a number, or null to decline." };
		const given = answer ?? undefined;
		const isTaken =
			named.of === "dialog"
				? (hub.live(run.id)?.answer(named.number, given) ?? false)
				: answerQuestion(ledger, { runId: run.id, seq: named.number, given, at: Date.now() });
		log.info("question answered on the page", { runId: run.id, questionId, counts: isTaken });
		if (isTaken && named.of === "child") await wakeHosts(ledger, systemPorts);
		return { status: isTaken ? "taken" : "late" };
	},

	apply: async (record, _body, at) => loggedDeed(at, await applyChanges(record, request(at))),
	undo: async (record, _body, at) => loggedDeed(at, await undoChanges(record, request(at))),
	async branch(record, { name }: SentBody<BranchBody>, at) {
		if (name !== undefined && typeof name !== "string") return { badRequest: "The name of a branch is a text." };
		const given = name?.trim();
		return loggedDeed(at, await branchChanges(record, { ...request(at), ...(given && { name: given }) }));
	},
	discard: async (record, _body, at) => loggedDeed(at, await discardChanges(record, request(at))),
};

const isAnswer = (answer: unknown): answer is string | boolean | number | null =>
	answer === null || ["string", "boolean", "number"].includes(typeof answer);

const request = ({ ledger, sources: { redactor, places, treesRoot } }: Parameters<Act<"apply">>[2]) => ({
	ledger,
	redactor,
	places,
	treesRoot,
	by: BY_PAGE,
});

function loggedDeed<Answer extends object>({ sources: { log } }: ActionSetup, answer: Answer): Answer {
	if (!isDenial(answer) && "done" in answer && "runId" in answer) {
		log.info("changes", { runId: String(answer.runId), done: answer.done, by: BY_PAGE });
	}
	return answer;
}

/** The body of a request; undefined if it is not a JSON object. */
export async function jsonBody(request: { json(): Promise<unknown> }): Promise<Record<string, unknown> | undefined> {
	try {
		const body = await request.json();
		return isRecord(body) ? body : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
