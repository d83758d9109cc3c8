import { DatabaseSync } from "node:sqlite";
import { APPLICATION_ID, MIGRATIONS } from "../../src/ledger/schema.ts";
import type { RunId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { admission } from "./samples.ts";

/** A ledger as the build with so many migrations left it. */
export function oldLedgerAt(file: string, version: number): { file: string; database: DatabaseSync } {
	const database = new DatabaseSync(file);
	database.exec("PRAGMA journal_mode = WAL");
	for (const sql of MIGRATIONS.slice(0, version)) database.exec(sql);
	database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
	return { file, database };
}

/** A queued run, as the first version stored it. */
export function addRun(database: DatabaseSync, id: RunId, profile: string): void {
	const { plan } = admission();
	database
		.prepare(
			"INSERT INTO sessions (id, agent, cwd, file, definition, created_at) VALUES (?, 'scout', '/', '/f', '', 0)",
		)
		.run(plan.session.id);
	database
		.prepare(
			`INSERT INTO runs (id, session_id, parent_session, mode, agent, profile, lane_limit, plan, state, attempt,
				max_attempts, fence, created_at, usage, delivery)
				VALUES (?, ?, 'parent', 'background', 'scout', ?, 10, ?, 'queued', 0, 2, 0, 0, ?, 'none')`,
		)
		.run(id, plan.session.id, profile, JSON.stringify(plan), JSON.stringify(NO_USAGE));
}
