import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import { runToTell } from "../../src/operate/child.ts";
import { newSessionId, type RunId } from "../../src/run/ids.ts";
import { admission, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

test("with several runs in one session, a message goes to the named one if it is open, or else to the running one", async () => {
	const ledger = await scratch.ledger();
	const session = newSessionId();
	const [ended, atWork, queued] = [1, 2, 3].map((at) => admitRun(ledger, admission({ session, at })).run.id) as [
		RunId,
		RunId,
		RunId,
	];
	const claim = {
		hostId: readyHost(ledger, { profile: "p" }),
		profile: { digest: "p" },
		at: 4,
		leaseMs: 1000,
		atMost: 10,
	};
	const recordOf = (id: RunId) => findRun(ledger, id) ?? expect.fail(`no run ${id}`);
	const told = () => [ended, atWork, queued].map((id) => runToTell(ledger, recordOf(id)).run.id);
	const end = (id: RunId) => endRun(ledger, { id, fence: recordOf(id).run.fence, outcome: success(), at: 5 });

	claimRuns(ledger, claim);
	end(ended);
	claimRuns(ledger, claim);
	expect(recordOf(atWork).run.state).toBe("running");
	expect(told()).toEqual([atWork, atWork, queued]);
	end(atWork);
	expect(told()).toEqual([queued, queued, queued]);
	claimRuns(ledger, claim);
	end(queued);
	expect(told()).toEqual([queued, queued, queued]);
});
