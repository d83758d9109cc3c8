import type { Ledger } from "../ledger/ledger.ts";
import type { RunRecord } from "../ledger/records.ts";
import { isDenial } from "../operate/denial.ts";
import { findRunNamed } from "../operate/find-run.ts";
import type { Call, ExitCode } from "./command.ts";
import { recoverHere } from "./recover-here.ts";
import { scopeOf } from "./scope.ts";
import { isInsideSubagent, nothingYet, withLedger } from "./surroundings.ts";

export const SEE_ALL = "`pi-geon list` shows the runs.";

/** Does something with the run that the first word names. */
export async function withRunNamed(
	{ words, options, out }: Call,
	work: (record: RunRecord, ledger: Ledger) => Promise<ExitCode> | ExitCode,
	/** `recovers`: the command depends on whether the run has finished. */
	how: { toLook?: boolean; recovers?: boolean } = {},
): Promise<ExitCode> {
	const ended = await withLedger((ledger) => {
		if (how.recovers && !isInsideSubagent()) recoverHere(ledger);
		const record = findRunNamed(ledger, words[0] ?? "", scopeOf(options, ledger), SEE_ALL);
		return isDenial(record) ? out.failed(record.error) : work(record, ledger);
	}, how);
	return ended ?? out.failed(nothingYet());
}
