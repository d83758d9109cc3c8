import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { stopAll, userStops } from "../../src/operate/stop.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch({ inMemory: true });

test("all runs that one command stops are marked in one commit, so that none is reported alone", async () => {
	const ledger = await scratch.ledger();
	for (let n = 0; n < 3; n++) admitRun(ledger, admission());
	const transaction = ledger.transaction.bind(ledger);
	let commits = 0;
	ledger.transaction = (durability, work) => {
		commits++;
		return transaction(durability, work);
	};
	expect(stopAll(ledger, {}, userStops()).map(({ was }) => was)).toEqual(["open", "open", "open"]);
	expect(commits).toBe(1);
});
