import type { RunId } from "../run/ids.ts";

/** Where an answer that is too long for the model is kept whole: beside the transcript it came from. */
export const wholeAnswerFile = (sessionFile: string, runId: RunId): string =>
	`${sessionFile.replace(/\.jsonl$/, "")}.${runId}.answer.md`;

/** The name of a file that was put away: told by the time alone, so that the process that completes it finds the same one. */
export const archivedFile = (file: string, archivedAt: number): string =>
	`${file}.deleted.${new Date(Math.min(Math.max(0, archivedAt), LAST_MOMENT)).toISOString().replaceAll(":", "-")}`;

/** The latest moment that a date can tell: a damaged row may say a later one. */
export const LAST_MOMENT = 8.64e15;
