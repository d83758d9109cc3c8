import type { RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import { messagesIn, transcriptOf } from "./messages.ts";
import type { Sources } from "./runs.ts";

/** What the child of a run last said or did, as its transcript tells: the latest that is on disk. */
export function lastStep({ plan, run, sessionId }: RunRecord, { ledger, redactor }: Sources): string | undefined {
	if (run.state === "queued") return undefined;
	const file = transcriptOf(findSession(ledger, sessionId) ?? plan.session);
	const last = file === undefined ? undefined : messagesIn(file, { includeTools: true }).at(-1);
	if (!last || last.role === "user") return undefined;
	if (last.role === "tool") return `${last.tool ?? "a tool"} has answered`;
	// Before one line is taken of it: a line of a private key does not look like one.
	return redactor
		.redact(last.text)
		.split("\n")
		.findLast((line) => line.trim() !== "");
}
