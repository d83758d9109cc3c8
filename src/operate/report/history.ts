import { inOneLine, plain } from "../../collect/plain.ts";
import { withMore } from "../excerpt.ts";
import type { History } from "../history.ts";
import type { ChildMessage } from "../messages.ts";
import type { RunSummary } from "../runs.ts";
import { cutTo, wrapTo } from "./layout.ts";
import { type Reading, stateInWords, timeInWords } from "./words.ts";

/** The messages in the child session of a run. */
export function historyReport(
	{ agent, messages, transcript, note }: History,
	{ width, run }: Pick<Reading, "width"> & { run: Pick<RunSummary, "phase" | "cause"> },
): string[] {
	const nothing = run.phase === "ended" ? "Nothing was said." : "Nothing was said yet.";
	return [
		cutTo(width, `${inOneLine(agent)}, ${stateInWords(run)}`),
		...messages.flatMap((message) => ["", ...messageReport(message, { width })]),
		...(messages.length === 0 ? ["", nothing] : []),
		...(note === undefined && transcript === undefined ? [] : [""]),
		...(note === undefined ? [] : wrapTo(width, inOneLine(note))),
		...(transcript === undefined ? [] : wrapTo(width, `Transcript: ${inOneLine(transcript)}`)),
	];
}

const WHO = { user: "task or message", assistant: "subagent", tool: "result of" } as const;

/** One message, with its author and time: also the unit in which a log is followed. */
export function messageReport(
	{ role, tool, text, moreChars = 0, at }: ChildMessage,
	{ width }: Pick<Reading, "width">,
): string[] {
	const who = tool === undefined ? WHO[role] : `${WHO[role]} ${inOneLine(tool)}`;
	const said = wrapTo(width - 2, plain(withMore(text, moreChars))).map((line) => (line === "" ? "" : `  ${line}`));
	return [cutTo(width, `[${at === undefined ? "time unknown" : timeInWords(at)}] ${who}`), ...said];
}
