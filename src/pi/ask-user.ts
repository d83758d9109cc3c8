import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Services } from "../delegate.ts";
import { findRun } from "../ledger/records.ts";
import type { AskUser } from "../supervise/ask.ts";

/** Puts the questions of children before the user of this pi, labelled with who asks. Without a user they are declined. */
export function askUser(ctx: ExtensionContext, { ledger }: Pick<Services, "ledger">): AskUser {
	return async (runId, question, signal) => {
		if (!ctx.hasUI) return undefined;
		const record = findRun(ledger, runId);
		const title = `[${record?.label ?? record?.plan.agent ?? "subagent"} ${runId}] ${question.title}`;
		switch (question.kind) {
			case "confirm":
				return ctx.ui.confirm(title, question.message, { signal });
			case "select":
				return ctx.ui.select(title, question.options, { signal });
			case "input":
				return ctx.ui.input(title, question.placeholder, { signal });
		}
	};
}
