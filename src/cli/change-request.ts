import { homedir } from "node:os";
import { createInterface } from "node:readline/promises";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunRecord } from "../ledger/records.ts";
import type { ChangeDone, ChangeRefused, ChangeRequest } from "../operate/apply.ts";
import { isDenial } from "../operate/denial.ts";
import { changeDoneReport } from "../operate/report/changes.ts";
import { treesRoot } from "../plan/session-place.ts";
import type { Call, ExitCode } from "./command.ts";
import { withRunNamed } from "./named-run.ts";
import { agentDir, cliLog, isInsideSubagent, ONLY_LOOKS, places, redactorHere } from "./surroundings.ts";

export const changeSources = (ledger: Ledger) => ({ ledger, redactor: redactorHere(), places: places() });

type ChangeWork = (
	record: RunRecord,
	request: ChangeRequest & { treesRoot: string },
) => Promise<ChangeDone | ChangeRefused>;

/** Does something with the changes of the run that the first word names, after the user confirms. */
export async function changeRun(
	call: Call,
	{ name, question }: { name: string; question?: string },
	work: ChangeWork,
): Promise<ExitCode> {
	const { options, out } = call;
	if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
	return withRunNamed(
		call,
		async (record, ledger) => {
			if (question !== undefined && options.yes !== true) {
				const said = await saysYes(`${question} Run ${record.run.id}. [y/N] `);
				if (said === undefined) return out.misused("There is no terminal to ask in. Nothing was done: add --yes.");
				if (!said) return out.failed("Nothing was done.");
			}
			const sources = changeSources(ledger);
			const by = `the user, with pi-geon ${name}`;
			const answer = await work(record, { ...sources, by, treesRoot: treesRoot(agentDir(), homedir()) });
			if (isDenial(answer)) return out.failed(sources.redactor.redact(answer.error));
			cliLog(sources.redactor).info("changes", { runId: answer.runId, done: answer.done, by });
			if (out.isJson) out.document(answer);
			else out.lines(changeDoneReport(answer));
			return 0;
		},
		{ recovers: true },
	);
}

/** Undefined if there is no terminal to ask in. */
async function saysYes(question: string): Promise<boolean | undefined> {
	if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
	const asking = createInterface({ input: process.stdin, output: process.stderr });
	try {
		return /^\s*y(es)?\s*$/i.test(await asking.question(question));
	} finally {
		asking.close();
	}
}

export const YES_OPTION = { yes: { type: "boolean", short: "y", does: "do not ask for confirmation" } } as const;
