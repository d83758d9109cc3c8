import { isProgress, type Progress } from "../processes/protocol.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { isUsage } from "../run/outcome-check.ts";
import type { Usage } from "../run/usage.ts";

/** How far a run is, as its worker says. */
export interface WorkerProgress {
	/** Of all attempts, on all machines. */
	usage: Usage;
	/** What the child has last said. */
	said?: string;
	model?: string;
	/** What it does now. */
	progress?: Progress;
}

/** Undefined for what cannot be read: the next one may. */
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
