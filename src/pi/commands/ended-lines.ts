import { inOneLine, plain } from "../../collect/plain.ts";
import type { Redactor } from "../../collect/redact/redactor.ts";
import { viewOf } from "../../deliver/run-view.ts";
import type { EndedRecord } from "../../ledger/records.ts";
import { wrapTo } from "../../operate/report/layout.ts";
import { elapsed, stateInWords } from "../../operate/report/words.ts";
import { changesForUser } from "../../run/changes-in-short.ts";
import { sandboxInWords } from "../../run/sandbox-report.ts";
import type { CommandAnswer } from "./command.ts";

/** How a run ended, as a one-shot pi prints it. That pi then exits, so this names commands of `pi-geon`. */
export function endedLines(
	ended: EndedRecord,
	{ redactor, width }: { redactor: Pick<Redactor, "redact">; width: number },
): CommandAnswer {
	const { id, outcome, endedAt } = ended.run;
	const view = viewOf(ended, redactor);
	const { sandbox } = outcome;
	const how = `${inOneLine(view.agent)}, run ${id}: ${stateInWords(view)} ${elapsed(view, endedAt)}`;
	const changed = changesForUser(outcome.changes, id, "pi-geon");
	const facts = [
		...(sandbox ? [`Sandbox: ${inOneLine(sandboxInWords(sandbox)).replace(/\.?$/, ".")}`] : []),
		...view.warnings.map((warning) => `Warning: ${inOneLine(warning)}`),
		...(changed === undefined ? [] : [changed]),
	];
	if (view.error !== undefined) {
		const more = `\`pi-geon info ${id}\` shows all of it.`;
		return { problem: [`${how}.`, view.error, more, ...facts].join(" ") };
	}
	return [how, ...facts, "", ...wrapTo(width, plain(view.answer ?? "(no answer)"))];
}
