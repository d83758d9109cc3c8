import type { RunId } from "../run/ids.ts";

/** Where the whole of an answer is kept that is too long for the model: beside its transcript. */
export const wholeAnswerFile = (sessionFile: string, runId: RunId): string =>
	`${sessionFile.replace(/\.jsonl$/, "")}.${runId}.answer.md`;

/**
 * The name of an archived file. It depends on the time alone, so that any process that completes the archiving gets the
 * same name.
 */
export const archivedFile = (file: string, archivedAt: number): string =>
	`${file}.deleted.${new Date(Math.min(Math.max(0, archivedAt), LAST_MOMENT)).toISOString().replaceAll(":", "-")}`;

/** The latest time that a `Date` can hold: a damaged row may have a later one. */
export const LAST_MOMENT = 8.64e15;
