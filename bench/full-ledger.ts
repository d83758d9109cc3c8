import { randomUUID } from "node:crypto";
import { outcomeOf } from "../src/collect/outcome.ts";
import { admitRun } from "../src/ledger/admit.ts";
import { openLedger } from "../src/ledger/ledger.ts";
import type { LaunchPlan } from "../src/plan/plan.ts";
import type { SessionId } from "../src/run/ids.ts";
import { NO_USAGE } from "../src/run/usage.ts";

/** A ledger with many runs that ended and were delivered long ago. */
export async function fillLedger(file: string, runs: number, parentSession = "an old session"): Promise<void> {
	const ledger = await openLedger(file);
	const outcome = outcomeOf(
		{ kind: "finalized", finalized: { status: "SUCCESS", result: "Seen. ".repeat(100) } },
		{ usage: NO_USAGE, displayItems: [], attempts: 1, warnings: [] },
	);
	const seed = admitRun(ledger, {
		plan: plan(),
		mode: "background",
		parentSession,
		profile: "old",
		laneLimit: 8,
		at: 1,
	});
	const columns = ledger
		.all<{ name: string }>("SELECT name FROM pragma_table_info('runs')")
		.map(({ name }) => name)
		.filter((name) => name !== "seq" && name !== "id");
	ledger.run(
		"UPDATE runs SET state = 'ended', ended_at = 2, started_at = 1, outcome = ?, delivery = 'delivered', delivered_at = ? WHERE id = ?",
		JSON.stringify(outcome),
		// Lately, so that it is not removed as expired.
		Date.now(),
		seed.run.id,
	);
	ledger.transaction("normal", () =>
		ledger.run(
			`WITH RECURSIVE counting (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting WHERE n < ?)
				INSERT INTO runs (id, ${columns.join(", ")}) SELECT printf('%08x', n + 268435456), ${columns.join(", ")} FROM counting, runs WHERE runs.id = ?`,
			runs,
			seed.run.id,
		),
	);
	ledger.close();
}

/** A plan of the usual size. */
export function plan(): LaunchPlan {
	const id = randomUUID() as SessionId;
	return {
		agent: "explorer",
		definition: { source: "builtin", file: "explorer.md", digest: "0123456789abcdef" },
		task: "Find where it is.",
		prompt: "You look around. ".repeat(120),
		cwd: "/project",
		projectTrusted: false,
		tools: ["read", "grep", "find", "ls"],
		extensions: [],
		lspActions: [],
		model: { provider: "p", id: "m" },
		limits: {
			timeoutMs: 900_000,
			idleTimeoutMs: 180_000,
			toolTimeoutMs: 600_000,
			maxCorrections: 2,
			parentSession: {},
		},
		isolation: "shared",
		maxAttempts: 2,
		session: { id, file: `/sessions/explorer_${id}.jsonl`, resumed: false },
		principal: { id: "main" },
		afterwards: { cleanup: "keep", archiveAfterMinutes: 0, parentKept: true },
		warnings: [],
	};
}
