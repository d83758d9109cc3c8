import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../../collect/plain.ts";
import type { Services } from "../../delegate.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { isDenial } from "../../operate/denial.ts";
import { sendToSession } from "../../operate/send.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { parentFacts } from "../parent-facts.ts";
import { routeOf } from "../route.ts";
import type { CommandAnswer } from "./command.ts";

/** How long a pi that is about to exit waits for a host to claim the run: otherwise, no process might start one. */
const TAKEN_WITHIN_MS = 10_000;

export interface Sending extends Omit<DelegationSetup, "services"> {
	record: RunRecord;
	message: string;
	ctx: ExtensionContext;
	services: Services;
}

/** Sends a message to the child of a run. Does not wait for the answer, which is announced. */
export async function sendMessage(sending: Sending): Promise<CommandAnswer> {
	const { record, message, ctx, services, pi, decisions, onSpawned } = sending;
	let spawned: RunRecord | undefined;
	const { answer } = await sendToSession(
		{
			parentSession: ctx.sessionManager.getSessionId(),
			run: record,
			message,
			sender: "user",
			withinMs: 0,
			route: routeOf(ctx),
		},
		parentFacts(pi, ctx, decisions),
		services,
		{
			onWaiting() {},
			onLeft() {},
			onSpawned(next) {
				spawned = next;
				onSpawned(ctx, next);
			},
		},
	);
	if (isDenial(answer)) return { problem: answer.error };
	const agent = inOneLine(record.plan.agent);
	if (!spawned) return [`Sent to ${agent}, run ${answer.runId}. It gets the message after its current step.`];
	if (!ctx.hasUI) await services.supervisor.awaitHost(spawned.run.id, TAKEN_WITHIN_MS);
	return [`${agent} continues with your message as run ${spawned.run.id}. Its report comes into this conversation.`];
}
