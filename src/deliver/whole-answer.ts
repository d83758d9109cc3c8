import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Truncated, truncateForModel } from "../collect/truncate.ts";
import type { RunRecord } from "../ledger/records.ts";
import { wholeAnswerFile } from "../ledger/session-files.ts";

/** What a model gets of what a child said: all of it, or its head, with a note on where the whole is. */
export function shownToModel(text: string, { plan, run }: RunRecord): Truncated {
	const { text: head, note } = truncateForModel(text);
	if (note === undefined) return { text };
	return { text: `${head}\n\n[${note} ${keep(wholeAnswerFile(plan.session.file, run.id), text)}]`, note };
}

/** A disk that is full is no reason to hold back the head of an answer. */
function keep(file: string, answer: string): string {
	try {
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		writeFileSync(file, answer, { mode: 0o600 });
		return `The whole answer is in ${file}`;
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		return `The whole answer could not be kept: ${error.message}`;
	}
}
