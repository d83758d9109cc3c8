import { existsSync, statSync } from "node:fs";
import { currentRedactor } from "../../collect/redact/current-redactor.ts";
import { fileProblems, LedgerUnusable } from "../../ledger/identify.ts";
import { type Ledger, openLedger } from "../../ledger/ledger.ts";
import { MIGRATIONS } from "../../ledger/schema.ts";
import { openDatabase } from "../../ledger/sqlite.ts";
import { closeUnreadableRow, UPDATE, unreadableRuns } from "../../ledger/unreadable.ts";
import { plural } from "../../run/amounts.ts";
import { type Check, type Finding, fixable, pass } from "./check.ts";

/** Reads every page of the ledger, then opens it for the other checks if it is sound. */
export const examineLedger = (onOpen: (ledger: Ledger) => void): Check => ({
	name: "ledger",
	async *run({ sources: { agentDir, places }, fix }) {
		const isNew = !existsSync(places.ledger);
		const damage = isNew ? undefined : await damageOf(places.ledger);
		if (damage !== undefined) {
			yield damage;
			return;
		}
		const ledger = await openLedger(places.ledger).catch((error: Error) => error);
		if (ledger instanceof Error) {
			const remedy =
				ledger instanceof LedgerUnusable ? {} : { remedy: `Check the permissions and the disk of ${places.dir}.` };
			yield { level: "fail", what: "The ledger cannot be opened", detail: ledger.message, ...remedy };
			return;
		}
		ledger.redact = currentRedactor(agentDir).redact;
		onOpen(ledger);
		if (isNew) {
			yield pass("A ledger can be created", places.ledger);
			return;
		}
		yield* unreadableRows(ledger, { fix });
		const runs = ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs")?.n ?? 0;
		yield pass(`The ledger is intact: ${plural(runs, "run")}, version ${MIGRATIONS.length}`, places.ledger);
	},
});

/** Everything else skips unreadable rows, so that one bad row does not hide the others. This reports them. */
function* unreadableRows(ledger: Ledger, { fix }: { fix: boolean }): Iterable<Finding> {
	for (const found of unreadableRuns(ledger)) {
		const problem: Finding = {
			level: "fail",
			what: `The record of run ${found.id} cannot be read`,
			detail: `${ledger.file}, table runs, seq ${found.seq}: ${found.problem}`,
			remedy: found.isNewer
				? UPDATE
				: "It is left out of lists and reports. Close it: it is then listed as failed, and the content of its row is kept.",
		};
		if (found.isNewer) yield problem;
		else yield fixable(problem, { fix }, () => closeUnreadableRow(ledger, found, Date.now()));
	}
}

const MOVE_AWAY =
	"Move it away together with the files of the same name that end in -wal and -shm: a new ledger is made. " +
	"Transcripts are kept, but runs that were not delivered are forgotten.";

/** Uses a connection that cannot write: a damaged file must stay as it is, so that parts of it can be recovered. */
async function damageOf(file: string): Promise<Finding | undefined> {
	if (statSync(file).size === 0) return undefined; // Created, and not written to yet.
	const broken = (detail: string): Finding => ({
		level: "fail",
		what: "The ledger is damaged",
		detail: `${file}: ${detail}`,
		remedy: MOVE_AWAY,
	});
	try {
		const database = await openDatabase(file, { readOnly: true });
		try {
			database.exec("PRAGMA busy_timeout = 5000");
			const problems = fileProblems(database).slice(0, 3);
			// Opening the ledger checks whether it is ours, and of a known version.
			return problems.length > 0 ? broken(problems.join("; ")) : undefined;
		} finally {
			database.close();
		}
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return /not a database|malformed|corrupt/i.test(error.message) ? broken(error.message) : undefined;
	}
}
