import { inOneLine, plain } from "../../collect/plain.ts";
import type { LogLine } from "../../log/read-logs.ts";
import { wrapTo } from "./layout.ts";
import { type Reading, timeInWords } from "./words.ts";

/** The lines of the logs, the newest at the bottom. The caller has to redact them. */
export function logLinesReport(lines: readonly LogLine[], { width }: Pick<Reading, "width">): string[] {
	if (lines.length === 0) return ["No log lines."];
	return lines.flatMap((line) => logLineReport(line, { width }));
}

function logLineReport(line: LogLine, { width }: Pick<Reading, "width">): string[] {
	const { time, level, role, host, pid, runId, agent, message, facts } = line;
	const { error, ...others } = facts;
	const who = host === undefined ? `${role}${pid === undefined ? "" : ` ${pid}`}` : `${role} ${host}`;
	const about = [...(runId === undefined ? [] : [runId]), ...(agent === undefined ? [] : [agent])].map(inOneLine);
	const details = Object.entries(others)
		.filter(([name, value]) => value !== undefined && name !== "printed")
		.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
	const head = [timeInWords(time), level.toUpperCase().padEnd(5), who, ...about, message, ...details];
	// Cut nothing: users look for a cause here.
	const [first = "", ...more] = wrapTo(width - 2, inOneLine(head.join("  ")));
	const below = [...more, ...(typeof error === "string" ? wrapTo(width - 2, plain(error)) : [])];
	return [first, ...below.map((part) => `  ${part}`)];
}
