import { readAnnounceDetails } from "../../deliver/stored-details.ts";
import type { Cause } from "../../run/outcome.ts";
import { isCause, isSandboxReport } from "../../run/outcome-check.ts";
import type { SandboxReport } from "../../run/sandbox-report.ts";
import { amountOf, textOf } from "./stored.ts";
import { contentText, readFacts, type ShownRun, shortText } from "./subagent-view.ts";

/** The content of an announce's card, whatever was stored. One-line texts are plain already; the others are not. */
export interface AnnounceView {
	/** Undefined: not known. */
	cause: Cause | undefined;
	agent: string;
	label: string | undefined;
	result: string;
	notes: string;
	durationMs: number | undefined;
	/** Undefined: not known. */
	sandbox: SandboxReport | undefined;
	facts: ShownRun;
	task: string;
	/** Where to look further, as labels with values. */
	places: string[];
}

export function readAnnounce(message: { content: unknown; details?: unknown }): AnnounceView {
	const details = readAnnounceDetails(message.details);
	const agent = shortText(details?.agent);
	// If a newer version wrote it, only the model's text can be used.
	if (details === undefined || agent === undefined) return unreadableView(message.content);
	return {
		cause: isCause(details.cause) ? details.cause : undefined,
		agent,
		label: shortText(details.label),
		result: textOf(details.result) ?? "",
		notes: textOf(details.notes) ?? "",
		durationMs: amountOf(details.durationMs),
		sandbox: isSandboxReport(details.sandbox) ? details.sandbox : undefined,
		facts: readFacts(details),
		task: shortText(details.task) ?? "",
		places: [
			place("run", details.runId),
			place("session key", details.sessionKey),
			place("transcript", details.transcript),
		].flat(),
	};
}

function unreadableView(content: unknown): AnnounceView {
	return {
		cause: undefined,
		agent: "subagent",
		label: undefined,
		result: typeof content === "string" ? content : contentText(content),
		notes: "",
		durationMs: undefined,
		sandbox: undefined,
		facts: readFacts({}),
		task: "",
		places: [],
	};
}

export function place(name: string, stored: unknown): string[] {
	const text = shortText(stored);
	return text === undefined ? [] : [`${name} ${text}`];
}
