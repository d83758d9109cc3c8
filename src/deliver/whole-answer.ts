import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Redactor } from "../collect/redact/redactor.ts";
import { truncateForModel } from "../collect/truncate.ts";
import type { RunRecord } from "../ledger/records.ts";
import { wholeAnswerFile } from "../ledger/session-files.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";

export interface Shown {
	/** The child's text: all of it, or its head. */
	text: Redacted;
	/** How much of the whole it is. Absent if it is all of it. */
	note?: string;
	/** The note, with where the whole is. These are our words, so they never go between the child's marks. */
	whereabouts?: Redacted;
}

/** The part of the child's text that a model gets: as much as of any tool's output, or `maxBytes`. */
export function shownToModel(
	text: Redacted,
	{ plan, run }: RunRecord,
	{ redact, maxBytes }: Pick<Redactor, "redact"> & { maxBytes?: number | undefined },
): Shown {
	const { text: head, note } = truncateForModel(text, maxBytes);
	if (note === undefined) return { text };
	const whereabouts = redact(`[${note} ${keepAnswer(wholeAnswerFile(plan.session.file, run.id), text)}]`);
	return { text: reshaped(text, () => head), note, whereabouts };
}

/** Does not fail on a full disk, since the head of the answer can still be delivered. */
function keepAnswer(file: string, answer: string): string {
	try {
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		writeFileSync(file, answer, { mode: 0o600 });
		return `The whole answer is in ${file}`;
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		return `The whole answer could not be kept: ${error.message}`;
	}
}
