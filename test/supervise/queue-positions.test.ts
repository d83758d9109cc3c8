import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { newRunId } from "../../src/run/ids.ts";
import { QueuePositions } from "../../src/supervise/queue-positions.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

test("one answer of the ledger serves all waiting callers for a quarter of a second", async () => {
	const ledger = await scratch.ledger();
	const [first, second] = [admitRun(ledger, admission()).run.id, admitRun(ledger, admission()).run.id];
	let now = 0;
	const positions = new QueuePositions(ledger, { elapsed: () => now } as never);
	expect([positions.of(first), positions.of(second)]).toEqual([0, 1]);
	ledger.run("UPDATE runs SET stop_at = 1 WHERE id = ?", first);
	now += 250;
	expect(positions.of(second)).toBe(1);
	now += 1;
	expect([positions.of(second), positions.of(first)]).toEqual([0, undefined]);
});

test("a run that is not among those asked for last is looked up at once", async () => {
	const ledger = await scratch.ledger();
	const positions = new QueuePositions(ledger, { elapsed: () => 0 } as never);
	expect(positions.of(newRunId())).toBeUndefined();
	expect(positions.of(admitRun(ledger, admission()).run.id)).toBe(0);
});
