import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { type ChildMessage, messagesIn, transcriptOfRun } from "../operate/messages.ts";
import { messageReport } from "../operate/report/history.ts";
import { stateInWords } from "../operate/report/words.ts";
import { type RunSources, summaryOf } from "../operate/runs.ts";
import type { ExitCode } from "./command.ts";
import type { Output } from "./output.ts";

const FOLLOW_EVERY_MS = 250;
const MESSAGES_SHOWN = 50;

/** Shows the session of a run as it grows, until the run has finished or the user leaves. */
export async function follow(
	followed: RunRecord,
	{ includeTools, limit = MESSAGES_SHOWN }: { includeTools: boolean; limit?: number },
	{ out, ...sources }: RunSources & { out: Output },
): Promise<ExitCode> {
	const { id } = followed.run;
	const left = new AbortController();
	const leave = () => left.abort();
	process.once("SIGINT", leave);
	process.once("SIGTERM", leave);
	let shown: number | undefined;
	let seen = "";
	try {
		for (;;) {
			// Read before the transcript, so that everything written before the end is shown before the end is reported.
			const record = findRun(sources.ledger, id);
			const file = transcriptOfRun(followed, sources.ledger);
			const version = file === undefined ? "" : transcriptVersion(file);
			if (file !== undefined && version !== seen) {
				seen = version;
				const messages = messagesIn(file, { includeTools });
				shown ??= Math.max(0, messages.length - limit);
				for (const message of messages.slice(shown)) show(message);
				shown = messages.length;
			}
			if (!record) return out.failed(`Run ${id} is not in the ledger any more.`);
			if (record.run.state === "ended") return showEnd(record);
			await pause(FOLLOW_EVERY_MS, undefined, { signal: left.signal });
		}
	} catch (error) {
		if (left.signal.aborted) return 130;
		throw error;
	} finally {
		process.off("SIGINT", leave);
		process.off("SIGTERM", leave);
	}

	function show(message: ChildMessage<string>): void {
		const redacted = { ...message, text: sources.redactor.redact(message.text) };
		if (out.isJson) out.jsonLine(redacted);
		else out.lines([...messageReport(redacted, { width: out.width }), ""]);
	}

	function showEnd(record: RunRecord): ExitCode {
		const summary = summaryOf(record, sources);
		if (out.isJson) out.jsonLine({ ended: summary });
		else out.lines([`Run ${id}: ${stateInWords(summary)}`]);
		return summary.status === "success" ? 0 : 1;
	}
}

function transcriptVersion(file: string): string {
	const { size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
	return `${file} ${size} ${mtimeMs}`;
}
