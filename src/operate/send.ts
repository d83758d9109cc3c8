import type { Services } from "../delegate.ts";
import type { MessageSender } from "../ledger/inbox.ts";
import type { EndedRecord, RunRecord } from "../ledger/records.ts";
import type { ParentFacts } from "../plan/launch.ts";
import type { Clock } from "../ports/clock.ts";
import { type RunId, sessionKey } from "../run/ids.ts";
import type { AskUser } from "../supervise/ask.ts";
import { type ChildName, findChild, runToTell } from "./child.ts";
import { continueSession } from "./continue.ts";
import { type Denial, isDenial } from "./denial.ts";
import { holderOf, type Posted } from "./posted.ts";
import { markedReply, type Reply, replyOf } from "./reply.ts";

export interface SendRequest extends ChildName {
	/** The run, if the caller knows it already. The name is then not needed. */
	run?: RunRecord;
	parentSession: string;
	toolCall?: string;
	message: string;
	sender?: MessageSender;
	/** How long to wait for the reply; 0: not at all. */
	withinMs: number;
	/** Ends the wait, not the run. */
	signal?: AbortSignal | undefined;
	route?: unknown;
}

/** Keeps announces and replies apart for a sender inside a conversation. Called for background runs only. */
export interface SendHooks {
	/** A call waits for the outcome of this run, which must not be announced until then. */
	onWaiting(id: RunId): void;
	/** The call stopped waiting without the outcome, which is announced like any other. */
	onLeft(id: RunId): void;
	/** A run was admitted that continues in the session. */
	onSpawned(record: RunRecord): void;
	onAsk?: AskUser;
}

/**
 * accepted: on its way, and the caller does not wait. timeout: not answered yet. In both cases the report is announced
 * later.
 */
export type SendAnswer =
	| Reply
	| { status: "accepted" | "timeout"; runId: string; sessionKey: string; note: string }
	| Denial;

export interface Sent {
	answer: SendAnswer;
	/** The answer for a model, if it contains words of the child. */
	marked?: object;
	/** The run whose outcome is the answer. */
	ended?: EndedRecord;
}

/**
 * Sends a message to a child: steers the open run of its session, or resumes the session with the message as a new task.
 * Then waits for the reply, which is the outcome of the run that received the message.
 */
export async function sendToSession(
	request: SendRequest,
	parent: ParentFacts,
	services: Services,
	hooks: SendHooks,
): Promise<Sent> {
	const { ledger, supervisor } = services;
	const child = request.run ? inConversation(request.run, ledger) : findChild(ledger, request.parentSession, request);
	if (isDenial(child)) return { answer: child };
	const { message, sender, parentSession, toolCall, route } = request;
	const from = {
		...(sender !== undefined && { sender }),
		...(toolCall !== undefined && { toolCall }),
		...(route !== undefined && { route }),
	};
	const posted = await continueSession(child, { message, parentSession, ...from }, parent, services);
	if (isDenial(posted)) return { answer: posted };
	if (posted.how === "resumed") hooks.onSpawned(posted.record);
	supervisor.wake();
	if (request.withinMs <= 0) return { answer: underway("accepted", posted) };
	return awaitReply(posted, request, services, hooks);
}

/** Another conversation may have continued the session since. Its run must not be steered from here. */
function inConversation(named: RunRecord, ledger: Services["ledger"]): RunRecord {
	const told = runToTell(ledger, named);
	return told.parentSession === named.parentSession ? told : named;
}

async function awaitReply(posted: Posted, request: SendRequest, services: Services, hooks: SendHooks): Promise<Sent> {
	const { ledger, supervisor, redactor, ports } = services;
	const patience = patienceOf(request, ports.clock);
	let { record } = posted;
	try {
		for (;;) {
			const { id } = record.run;
			const ended = await waited(record, hooks, () =>
				supervisor.watch(id, { leave: patience.signal, ...(hooks.onAsk && { onAsk: hooks.onAsk }) }),
			);
			if (!ended) {
				const status = request.signal?.aborted ? "accepted" : "timeout";
				return { answer: underway(status, { ...posted, record }) };
			}
			const { record: holder, taken } = holderOf(ledger, { ...posted, record });
			if (holder.run.id === id) {
				const answer = replyOf(ended, redactor, { taken });
				return { answer, marked: markedReply(ended, redactor, { taken }), ended };
			}
			// It finished before it received the message: its outcome is announced, and the reply comes from its successor.
			if (record.mode === "background") hooks.onLeft(id);
			record = holder;
		}
	} finally {
		patience.end();
	}
}

/** Waits for a run. A foreground run belongs to another call, so nothing has to keep it from being announced. */
async function waited(
	{ run, mode }: RunRecord,
	hooks: SendHooks,
	watch: () => Promise<EndedRecord | undefined>,
): Promise<EndedRecord | undefined> {
	if (mode === "foreground") return watch();
	hooks.onWaiting(run.id);
	let ended: EndedRecord | undefined;
	try {
		ended = await watch();
		return ended;
	} finally {
		if (!ended) hooks.onLeft(run.id);
	}
}

/** A signal that ends the wait: after the time, or with the call. */
function patienceOf({ withinMs, signal }: SendRequest, clock: Clock): { signal: AbortSignal; end: () => void } {
	const over = new AbortController();
	const cancel = clock.after(withinMs, () => over.abort());
	const onAbort = () => over.abort();
	if (signal?.aborted) onAbort();
	signal?.addEventListener("abort", onAbort, { once: true });
	return {
		signal: over.signal,
		end() {
			cancel();
			signal?.removeEventListener("abort", onAbort);
		},
	};
}

function underway(status: "accepted" | "timeout", { record }: Posted): SendAnswer {
	const { run, plan, sessionId } = record;
	return {
		status,
		runId: run.id,
		sessionKey: sessionKey(plan.principal.id, sessionId),
		note: "The message is kept until the subagent receives it. Its report comes into this conversation by itself.",
	};
}
