import { STEERING } from "../ledger/inbox.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { TASK_MARK } from "../run/task-mark.ts";

/** The names of a session and its run on one machine. */
export interface LineNames {
	sessionId: string;
	cwd: string;
	runId: string;
}

export interface LineNaming {
	from: LineNames;
	to: LineNames;
	/** The number of a message there, by its number here. 0: the other side does not know the message. */
	seq(from: number): number;
}

/**
 * A line of a session file with the names of another machine: the header names the session and its folder, and the task's
 * mark and the messages name the run. Everything else stays the same.
 */
export function renamedLine(line: string, { from, to, seq }: LineNaming): string {
	if (!line.includes(from.runId) && !line.startsWith('{"type":"session"')) return line;
	const entry = parsedLine(line);
	if (!isRecord(entry)) return line;
	if (entry.type === "session") return JSON.stringify({ ...entry, id: to.sessionId, cwd: to.cwd });
	const { type, customType, data, details } = entry;
	if (type === "custom" && customType === TASK_MARK && isRecord(data) && data.runId === from.runId) {
		return JSON.stringify({ ...entry, data: { ...data, runId: to.runId } });
	}
	if (type === "custom_message" && customType === STEERING && isRecord(details) && details.runId === from.runId) {
		return JSON.stringify({ ...entry, details: { ...details, runId: to.runId, seq: seq(Number(details.seq)) } });
	}
	return line;
}

/** The number of the message in a line, if it is a message to this run. */
export function messageIn(line: string, runId: string): number | undefined {
	if (!line.includes(STEERING) || !line.includes(runId)) return undefined;
	const entry = parsedLine(line);
	if (!isRecord(entry) || entry.type !== "custom_message" || entry.customType !== STEERING) return undefined;
	const { details } = entry;
	return isRecord(details) && details.runId === runId && typeof details.seq === "number" ? details.seq : undefined;
}
