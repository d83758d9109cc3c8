import type { AdmissionServices } from "../delegate.ts";
import { type MessageSender, sendToRun } from "../ledger/inbox.ts";
import type { RunRecord } from "../ledger/records.ts";
import { refusedMessage } from "../plan/continued.ts";
import { isGeneral } from "../plan/general.ts";
import type { ParentFacts } from "../plan/launch.ts";
import { continuedFor } from "../plan/limits.ts";
import { isRefusal, type Refusal } from "../run/errors.ts";
import { type Denial, denialOf } from "./denial.ts";
import { launch } from "./launch.ts";
import type { Posted } from "./posted.ts";
import { refusedByHook } from "./start-hook.ts";

export interface Continuation {
	message: string;
	/** The user, or else the model of the conversation. */
	sender?: MessageSender;
	parentSession: string;
	toolCall?: string;
	route?: unknown;
}

/** steered: the open run receives it. resumed: it is the task of a new run. */
export interface Continued extends Posted {
	how: "steered" | "resumed";
}

/** Asked for messages too: one that its run does not receive in time becomes the task of another run. */
const refusedMessageByHook = (
	{ plan, label }: RunRecord,
	{ message: task, parentSession }: Continuation,
	services: AdmissionServices,
): Promise<Refusal | undefined> =>
	refusedByHook({ plan, how: "message", task, mode: "background", parentSession, label }, services);

/**
 * Sends a message to a child. A message to an open run belongs to the plan of that run. Otherwise it is a new task for the
 * session, planned like any other: under the current configuration, with what the session keeps.
 */
export async function continueSession(
	child: RunRecord,
	request: Continuation,
	parent: ParentFacts,
	services: AdmissionServices,
): Promise<Continued | Denial> {
	if (child.run.state !== "ended") {
		const refusal =
			refusedMessage(child.plan, parent, services) ?? (await refusedMessageByHook(child, request, services));
		if (refusal) return denialOf(refusal);
		const at = services.ports.clock.now();
		const seq = sendToRun(services.ledger, child.run.id, { body: request.message, at, sender: request.sender });
		if (seq !== undefined) return { how: "steered", record: child, seq };
	}
	const { plan, label, sessionId } = child;
	const { message, sender: _sender, ...from } = request;
	const next = {
		// Only a parent that is there knows the route of its session now.
		...(parent.isAbsent && plan.route !== undefined && { route: plan.route }),
		...from,
		...(!isGeneral(plan.definition) && { agent: plan.agent }),
		...(plan.isolation === "worktree" && { isolation: plan.isolation }),
		task: message,
		sessionId,
		agentId: plan.principal.id,
		...continuedFor(services.config),
		cleanup: plan.afterwards.cleanup,
		...(label !== undefined && { label }),
	};
	const record = await launch({ request: next, parent, services, mode: "background" });
	return isRefusal(record) ? denialOf(record) : { how: "resumed", record };
}
