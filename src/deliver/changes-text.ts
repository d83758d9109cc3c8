import { inLegibleLine } from "../collect/plain.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { ReportedFile } from "../run/changes.ts";
import { joined, ours, type Redacted } from "../run/redacted.ts";

/** With the sentence before them, the files take at most ten lines. */
const FILES_IN_REPORT = 7;

/** What a run changed, for the requester. The names of the files are the child's words. */
export interface ChangesText {
	sentence: Redacted;
	files?: Redacted;
}

/** Undefined for a run without a tree, and for one that changed nothing and was not expected to. */
export function changesText({ run, plan }: EndedRecord): ChangesText | undefined {
	const { id: runId, outcome } = run;
	const { changes } = outcome;
	if (!changes) return undefined;
	const { files, total, warnings } = changes;
	if (changes.commit === null) {
		return plan.isolation === "worktree"
			? { sentence: ours`It changed nothing in its copy of the checkout.` }
			: undefined;
	}
	const names = total.files === 1 ? ours`1 file` : ours`${total.files} files`;
	const sentence = ours`It changed ${names} (+${total.added} -${total.removed}) in its copy of the checkout. None of it is in the working tree yet: the user can view it with /subagents diff ${runId} and apply it with /subagents apply ${runId}.`;
	const more = total.files - Math.min(files.length, FILES_IN_REPORT);
	const lines = [
		...files.slice(0, FILES_IN_REPORT).map(fileLine),
		...(more > 0 ? [ours`and ${more} more`] : []),
		...(warnings.length > 0 ? [ours`Check before applying: ${joined(warnings.map(inLegibleLine), "; ")}`] : []),
	];
	return { sentence, files: joined(lines, "\n") };
}

const fileLine = ({ status, path, from, added, removed, binary }: ReportedFile<Redacted>): Redacted => {
	const name = from === undefined ? inLegibleLine(path) : ours`${inLegibleLine(from)} → ${inLegibleLine(path)}`;
	return ours`${STATUS[status] ?? STATUS.M} ${name} ${binary ? ours`binary` : ours`+${added} -${removed}`}`;
};

const STATUS = { A: ours`A`, M: ours`M`, D: ours`D`, R: ours`R`, T: ours`T` };
