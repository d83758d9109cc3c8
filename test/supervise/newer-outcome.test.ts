import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { systemPorts } from "../../src/processes/system-ports.ts";
import { Supervisor } from "../../src/supervise/supervisor.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

test("who waits for a run whose outcome a newer pi-geon wrote hears of it, and the outcome stays owed", async () => {
	const ledger = await scratch.ledger();
	const { run } = admitRun(ledger, admission());
	endRun(ledger, { id: run.id, fence: 0, outcome: success(), at: 1 });
	ledger.run("UPDATE runs SET outcome = json_set(outcome, '$.version', 99) WHERE id = ?", run.id);
	const supervisor = new Supervisor({ ledger, ports: systemPorts });
	await expect(supervisor.watch(run.id)).rejects.toThrow(
		/outcome was written by a newer pi-geon\. Nothing is lost: update pi-geon/,
	);
	expect(ledger.get("SELECT delivery, outcome ->> '$.output' AS output FROM runs")).toEqual({
		delivery: "owed",
		output: "done",
	});
});
