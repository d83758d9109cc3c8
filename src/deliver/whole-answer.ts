import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { RunId } from "../run/ids.ts";

/** Where an answer that is too long for the model is kept whole: beside the transcript it came from. */
export const wholeAnswerFile = (sessionFile: string, runId: RunId): string =>
	sessionFile.replace(/\.jsonl$/, "") + `.${runId}.answer.md`;

export function keepWholeAnswer(file: string, answer: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	const descriptor = openSync(file, "w", 0o600);
	writeSync(descriptor, answer);
	closeSync(descriptor);
}
