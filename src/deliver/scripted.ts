import type { EndedRecord } from "../ledger/records.ts";
import type { RunId } from "../run/ids.ts";

/**
 * The runs whose outcomes a script has received, by the call that ran the script. pi keeps only the result of that call in
 * the transcript, not the calls inside it, so that one result reports all of the runs.
 */
export type Scripted = ReadonlyMap<string, readonly RunId[]>;

/** pi names the calls of a script after the call that runs it: `<call>/1`, and `<call>/1/1` for a call inside that. */
export const callOfScript = (toolCall: string | undefined): string | undefined =>
	/^(.+?)(?:\/\d+)+$/s.exec(toolCall ?? "")?.[1];

export function scriptedRuns(calls: Iterable<readonly [RunId, string | undefined]>): Scripted {
	const scripted = new Map<string, RunId[]>();
	for (const [id, toolCall] of calls) {
		const script = callOfScript(toolCall);
		if (script !== undefined) scripted.set(script, [...(scripted.get(script) ?? []), id]);
	}
	return scripted;
}

/** Leaves background runs out: a script gets only a receipt for such a run, and its outcome is announced. */
export const scriptedAmong = (records: Iterable<EndedRecord>): Scripted =>
	scriptedRuns(
		[...records].flatMap(({ run, toolCall, mode }) => (mode === "foreground" ? [[run.id, toolCall] as const] : [])),
	);
