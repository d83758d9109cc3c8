import { isProgress, type Progress } from "../processes/protocol.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { isUsage } from "../run/outcome-check.ts";
import type { Usage } from "../run/usage.ts";

/** The progress of a run, as its worker reports it. */
export interface WorkerProgress {
	/** Usage of all attempts, on all machines. */
	usage: Usage;
	/** The child's latest text. */
	said?: string;
	model?: string;
	/** What the child does now. */
	progress?: Progress;
}

/** Undefined if it cannot be read: the next one may be readable. */
export function readWorkerProgress(stored: string | null): WorkerProgress | undefined {
	if (stored === null) return undefined;
	const value = parsedLine(stored);
	if (!isRecord(value) || !isUsage(value.usage)) return undefined;
	const { usage, said, model, progress } = value;
	return {
		usage,
		...(typeof said === "string" && { said }),
		...(typeof model === "string" && { model }),
		...(isProgress(progress) && { progress }),
	};
}
