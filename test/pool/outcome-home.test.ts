import { expect, test } from "vitest";
import type { ClaimedRun, WorkServices } from "../../src/child/work.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { broughtHome } from "../../src/pool/courier/outcome-home.ts";
import type { CourierSetup } from "../../src/pool/courier/run-away.ts";
import type { CourierQueue } from "../../src/pool/queue.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { storedOutcome } from "../../src/run/stored-outcome.ts";
import { CHANGES } from "../deliver/reported-changes.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { outcomeOf, success } from "../ledger/samples.ts";

const known = {
	model: "test/answered",
	context: { tokens: 5, window: 10 },
	sandbox: { enforced: "kernel", write: "worktree", network: "off" },
};

/** The outcome of a worker whose changes are not in the database any more, as this machine records it. */
async function withoutChanges(outcome: Outcome): Promise<Outcome> {
	const body = storedOutcome(asItIs<Outcome>({ ...outcome, ...known, changes: CHANGES } as never));
	const queue = {
		outcome: async () => ({ body, worker: "builder" }),
		order: async () => undefined,
		bundles: async () => ({}),
	};
	const redactor = createRedactor({ secrets: [], homeDir: "/home/ada" });
	const home = await broughtHome({
		queue: queue as unknown as CourierQueue,
		job: "job",
		record: { plan: {}, run: {} } as ClaimedRun,
		services: { redactor } as unknown as WorkServices,
		setup: { pool: "team" } as CourierSetup,
		takeovers: 0,
		budget: undefined,
	});
	return home.outcome;
}

test("a success without its changes is a failure that keeps the answer, the model and what confined the run", async () => {
	expect(await withoutChanges(success("All done."))).toMatchObject({
		...known,
		cause: "not_harvested",
		output: "All done.",
	});
});

test("so does a failure without its changes, with what it had found", async () => {
	const failed = outcomeOf(undefined, { kind: "lost", message: "Gone." });
	const partial = asItIs<Pick<Outcome, "output">>({ output: "So far." });
	const kept = await withoutChanges({ ...failed, ...partial, lastEvent: "turn_end" } as Outcome);
	expect(kept).toMatchObject({ ...known, cause: "crashed", output: "So far.", lastEvent: "turn_end" });
});
