import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/** A message to a run that was not taken in yet. */
export interface InboxMessage {
	seq: number;
	body: string;
}

export function sendToRun(ledger: Ledger, runId: RunId, message: { body: string; at: number }): void {
	const sql = "INSERT INTO inbox (run_id, body, created_at) VALUES (?, ?, ?)";
	ledger.transaction("full", () => ledger.run(sql, runId, message.body, message.at));
}

export function waitingMessages(ledger: Ledger, runId: RunId): InboxMessage[] {
	return ledger.all<InboxMessage>(
		"SELECT seq, body FROM inbox WHERE run_id = ? AND taken_at IS NULL ORDER BY seq",
		runId,
	);
}

/** Marked only once the child's session file holds the message: a crash before repeats it, and never loses it. */
export function messageTaken(ledger: Ledger, seq: number, at: number): void {
	ledger.transaction("full", () =>
		ledger.run("UPDATE inbox SET taken_at = ? WHERE seq = ? AND taken_at IS NULL", at, seq),
	);
}
