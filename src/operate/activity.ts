import type { RunRecord } from "../ledger/records.ts";
import { type LogLine, type LogPlaces, readLogs } from "../log/read-logs.ts";
import { OUR_TOOLS, USED_A_TOOL } from "../log/tool-uses.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";
import { messagesIn, transcriptOfRun } from "./messages.ts";
import type { RunSources } from "./runs.ts";

/** The latest text or action of a run's child, according to its transcript on disk. */
export function lastStep(record: RunRecord, { ledger, redactor }: RunSources): Redacted | undefined {
	if (record.run.state === "queued") return undefined;
	const file = transcriptOfRun(record, ledger);
	const last = file === undefined ? undefined : messagesIn(file, { includeTools: true }).at(-1);
	if (!last || last.role === "user") return undefined;
	if (last.role === "tool") return redactor.redact(`${last.tool ?? "a tool"} has answered`);
	// Redact before picking a line: a single line of a private key is not recognized.
	return reshaped(redactor.redact(last.text), (text) => text.split("\n").findLast((line) => line.trim() !== "") ?? "");
}

/** How a conversation and its subagents have used one of this package's other tools. */
export interface ToolActivity {
	tool: string;
	calls: number;
	failed: number;
	last: LogLine;
}

/** The uses that the logs still have, in the order of the tools. */
export function toolActivity(places: LogPlaces, session: string): ToolActivity[] {
	const uses = readLogs(places, { session, message: USED_A_TOOL, limit: Number.MAX_SAFE_INTEGER });
	return OUR_TOOLS.flatMap((tool) => {
		const lines = uses.filter(({ facts }) => facts.tool === tool);
		const last = lines.at(-1);
		if (!last) return [];
		return [{ tool, calls: lines.length, failed: lines.filter(({ facts }) => facts.failed === true).length, last }];
	});
}
