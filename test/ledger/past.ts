import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import type { RunRecord } from "../../src/ledger/records.ts";
import { wholeAnswerFile } from "../../src/ledger/session-files.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { newSessionId } from "../../src/run/ids.ts";
import { settleDelivery } from "./one-run.ts";
import { admission, success, type Wish } from "./samples.ts";

interface Past extends Wish {
	/** Where the transcripts are. */
	folder: string;
	afterwards?: Partial<LaunchPlan["afterwards"]>;
	/** When it ended. */
	ended?: number;
	/** When it was delivered; null: it was not. */
	delivered?: number | null;
	/** Whether the answer was too long for the model. */
	long?: boolean;
}

/** A background run with a transcript on disk, as far as it has come. */
export function pastRun(ledger: Ledger, past: Past): RunRecord & { file: string; answer: string } {
	const { folder, afterwards, ended = 0, delivered = ended, long = false, session = newSessionId(), ...wish } = past;
	const asked = admission({ mode: "background", session, ...wish });
	asked.plan.session.file = join(folder, `scout_${session}.jsonl`);
	asked.plan.afterwards = { ...asked.plan.afterwards, ...afterwards };
	const record = admitRun(ledger, asked);
	const { file } = record.plan.session;
	const answer = wholeAnswerFile(file, record.run.id);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, "a transcript");
	if (long) writeFileSync(answer, "a long answer");
	endRun(ledger, { id: record.run.id, fence: 0, outcome: success(), at: ended });
	if (delivered !== null) settleDelivery(ledger, record.run.id, delivered);
	return { ...record, file, answer };
}
