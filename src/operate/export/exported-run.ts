import { findChanges } from "../../ledger/changes.ts";
import { entriesOfRun, runTimeOf } from "../../ledger/entries-of-run.ts";
import type { RunRecord } from "../../ledger/records.ts";
import { currentBranch, entriesIn } from "../../ledger/transcript.ts";
import { findTree } from "../../ledger/trees.ts";
import { diskFiles } from "../../ports/session-files.ts";
import { plural } from "../../run/amounts.ts";
import type { Redacted } from "../../run/redacted.ts";
import { type ChangeSources, diffOf } from "../changes.ts";
import { isDenial } from "../denial.ts";
import { infoOf, type RunInfo } from "../info.ts";
import { transcriptOfRun } from "../messages.ts";
import { type ExportedTranscript, exportedItems } from "./exported-items.ts";

/** One run, with everything there is to share. All of it is redacted. */
export interface ExportedRun {
	version: 1;
	exportedAt: number;
	run: RunInfo;
	transcript: ExportedTranscript;
	/** What it changed, as a patch. Absent: nothing, or it cannot be shown; the notes say which. */
	diff?: Redacted;
	/** What is missing, and why. */
	notes: string[];
}

export async function exportedRun(record: RunRecord, sources: ChangeSources, now: number): Promise<ExportedRun> {
	const { ledger, redactor } = sources;
	const file = transcriptOfRun(record, ledger);
	const time = runTimeOf(record, ledger);
	const all = file === undefined ? [] : currentBranch(entriesIn(file, diskFiles));
	const transcript = await exportedItems(entriesOfRun(all, time), redactor);
	const changes = await changesIn(record, sources);
	const { items, gap, shortened } = transcript;
	const notes = [
		...(record.run.state === "ended" ? [] : ["The run has not finished: this is what there is so far."]),
		...(file === undefined ? ["There is no transcript."] : []),
		...(file !== undefined && items.length === 0 ? ["The transcript has nothing readable of this run."] : []),
		...(time.isOnly ? [] : ["Its session has other runs. This is only what was said in this one."]),
		...(gap
			? [`${plural(gap.missing, "item")} in the middle of the transcript ${gap.missing === 1 ? "is" : "are"} left out.`]
			: []),
		...(shortened > 0 ? [`${plural(shortened, "long text")} ${shortened === 1 ? "is" : "are"} shortened.`] : []),
		...changes.notes,
	];
	return {
		version: 1,
		exportedAt: now,
		run: infoOf(record, sources),
		transcript,
		...(changes.diff !== undefined && { diff: changes.diff }),
		notes,
	};
}

/** Includes only changes that are home: an export changes nothing, and works with a read-only ledger. */
async function changesIn(record: RunRecord, sources: ChangeSources): Promise<{ diff?: Redacted; notes: string[] }> {
	const { ledger } = sources;
	const { id } = record.run;
	if (!findChanges(ledger, id)) {
		const isLeft = record.run.state === "ended" && findTree(ledger, id)?.state === "ready";
		return { notes: isLeft ? [`Its changes have not come home. \`pi-geon changes ${id}\` fetches them.`] : [] };
	}
	const found = await diffOf(record, sources);
	if (isDenial(found)) return { notes: [found.error] };
	const cut = found.cutBytes > 0 ? [`${found.cutBytes} bytes at the end of the patch are left out.`] : [];
	return { diff: found.text, notes: cut };
}
