import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine, plain } from "../collect/plain.ts";
import type { Services } from "../delegate.ts";
import { findRun } from "../ledger/records.ts";
import type { Answer, Question } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";
import { ours, type Redacted, reshaped } from "../run/redacted.ts";
import { type AskUser, NO_USER } from "../supervise/ask.ts";
import { inTurn } from "./dialog-line.ts";

const LONGEST_LABEL = 60;

/**
 * Shows the questions of children to the user of this pi, labelled with the asking child. Without a user they are declined.
 */
export function askUser(ctx: ExtensionContext, { ledger, redactor }: Pick<Services, "ledger" | "redactor">): AskUser {
	return async (runId, question, signal) => {
		if (!ctx.hasUI) return NO_USER;
		const title = ours`${whoAsks(runId, { ledger, redactor })} ${reshaped(question.title, inOneLine)}`;
		const show = () => dialog(ctx.ui, { ...question, title }, signal);
		return ctx.mode === "tui" ? inTurn(ctx.ui, show, signal) : show();
	};
}

/** Comes first in the title, so that no child can pass for another, or for pi. */
export function whoAsks(runId: RunId, { ledger, redactor }: Pick<Services, "ledger" | "redactor">): Redacted {
	const record = findRun(ledger, runId);
	const agent = record?.plan.agent ?? "subagent";
	const label = record?.label === undefined ? "" : ` "${inOneLine(record.label).slice(0, LONGEST_LABEL)}"`;
	return redactor.redact(`[${agent}${label} ${runId}]`);
}

/**
 * Shows the text of a child's extension as plain text, so that it cannot paint on the terminal or forge a second dialog.
 */
export async function dialog(ui: ExtensionContext["ui"], question: Question, signal: AbortSignal): Promise<Answer> {
	switch (question.kind) {
		case "confirm":
			return ui.confirm(question.title, plain(question.message), { signal });
		case "select": {
			const options = distinct(question.options.map(inOneLine));
			const chosen = await ui.select(question.title, options, { signal });
			return chosen === undefined ? undefined : options.indexOf(chosen);
		}
		case "input": {
			const hint = question.placeholder === undefined ? undefined : inOneLine(question.placeholder);
			return ui.input(question.title, hint, { signal });
		}
	}
}

/** Numbers options that look the same once they are cleaned or cut. */
function distinct(options: string[]): string[] {
	const taken = new Set<string>();
	for (const option of options) {
		let shown = option;
		for (let times = 2; taken.has(shown); times++) shown = `${option} (${times})`;
		taken.add(shown);
	}
	return [...taken];
}
