import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shownToModel } from "../../src/deliver/whole-answer.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { wholeAnswerFile } from "../../src/ledger/session-files.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { asItIs, NO_REDACTOR } from "../helpers/as-it-is.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const LONG = asItIs<Redacted>("A line of an answer.\n".repeat(5000));

/** A run whose session file is there. */
async function runWith(file: string) {
	const { plan, ...rest } = admission();
	return admitRun(await scratch.ledger(), { ...rest, plan: { ...plan, session: { ...plan.session, file } } });
}

test("a long answer is kept whole beside its session, for the user alone, and its head says where", async () => {
	const record = await runWith(join(scratch.folder(), "deep", "child.jsonl"));
	const { text, note, whereabouts = "" } = shownToModel(LONG, record, NO_REDACTOR);
	const [, file = ""] = /The whole answer is in (.+)\]$/.exec(whereabouts) ?? [];
	expect(LONG.startsWith(text)).toBe(true);
	expect(note).toBe("This is the first 2000 of 5000 lines.");
	expect(readFileSync(file, "utf8")).toBe(LONG);
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(shownToModel(asItIs<Redacted>("Short."), record, NO_REDACTOR)).toEqual({ text: "Short." });
});

test("an answer that cannot be kept is reported anyway, with the reason", async () => {
	const notAFolder = join(scratch.folder(), "file");
	writeFileSync(notAFolder, "");
	const inTheWay = await runWith(join(scratch.folder(), "child.jsonl"));
	mkdirSync(wholeAnswerFile(inTheWay.plan.session.file, inTheWay.run.id));
	for (const record of [await runWith(join(notAFolder, "child.jsonl")), inTheWay]) {
		const { text, whereabouts } = shownToModel(LONG, record, NO_REDACTOR);
		expect(text).toMatch(/^A line of an answer\.\n/);
		expect(whereabouts).toMatch(/The whole answer could not be kept: E(NOTDIR|EXIST|ISDIR)/);
	}
});
