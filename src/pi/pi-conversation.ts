import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Conversation } from "../ports/conversation.ts";
import { countUsage, countUsageOf } from "./count-usage.ts";

/** The conversation of a pi session, as its context knows it at this moment. */
export interface PiConversation extends Conversation {
	readonly ctx: ExtensionContext;
}

export function conversationOf(pi: ExtensionAPI, ctx: ExtensionContext): PiConversation {
	return {
		ctx,
		get sessionId() {
			return ctx.sessionManager.getSessionId();
		},
		get file() {
			return ctx.sessionManager.getSessionFile();
		},
		get isInteractive() {
			return ctx.mode === "tui" || ctx.mode === "rpc";
		},
		isIdle: () => ctx.isIdle(),
		hasPending: () => ctx.hasPendingMessages(),
		entries: () => ctx.sessionManager.getEntries(),
		send(messages) {
			for (const [index, message] of messages.entries()) {
				const isLast = index === messages.length - 1;
				pi.sendMessage(message, isLast ? { triggerTurn: true, deliverAs: "followUp" } : { triggerTurn: false });
			}
		},
		add: (message) => pi.sendMessage(message, { triggerTurn: false }),
		countUsage: () => countUsage(ctx),
		countUsageOf: (run) => countUsageOf(ctx, run),
		notify(text, kind) {
			if (ctx.hasUI) ctx.ui.notify(text, kind);
			else process.stderr.write(`pi-geon: ${text}\n`);
		},
	};
}
