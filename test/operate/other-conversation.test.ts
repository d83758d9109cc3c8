import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { Services } from "../../src/delegate.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { waitingMessages } from "../../src/ledger/inbox.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import { NO_LOG } from "../../src/log/log.ts";
import { sendToSession } from "../../src/operate/send.ts";
import { systemPorts as ports } from "../../src/processes/system-ports.ts";
import { newSessionId, type RunId } from "../../src/run/ids.ts";
import { admission, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";
import { parentOf } from "../plan/launching.ts";

const scratch = useScratch();
const hooks = { onWaiting() {}, onLeft() {}, onSpawned() {} };

/** Sends to a run that has finished, in whose session another one is running that this conversation asked for. */
async function sendWhileAtWork(otherConversation: string) {
	const ledger = await scratch.ledger();
	const session = newSessionId();
	const claim = {
		hostId: readyHost(ledger, { profile: "p" }),
		profile: { digest: "p" },
		at: 1,
		leaseMs: 1000,
		atMost: 1,
	};
	const recordOf = (id: RunId) => findRun(ledger, id) ?? expect.fail(`no run ${id}`);
	const admit = (parentSession: string) => {
		const { id } = admitRun(ledger, admission({ session, parentSession })).run;
		claimRuns(ledger, claim);
		return id;
	};
	const ended = admit("ours");
	endRun(ledger, { id: ended, fence: recordOf(ended).run.fence, outcome: success(), at: 2 });
	const atWork = admit(otherConversation);
	const { config } = loadConfig({ userFile: "/nowhere/pi-geon.json" });
	const services = {
		ledger,
		config,
		supervisor: { wake() {} },
		catalog: { agents: [], overridden: [], unusable: [] },
		agentDir: "/agent",
		log: NO_LOG,
		ports,
	};
	const request = { run: recordOf(ended), parentSession: "ours", message: "One more thing.", withinMs: 0 };
	const { answer } = await sendToSession(request, parentOf, services as unknown as Services, hooks);
	return { answer, taken: waitingMessages(ledger, atWork).map(({ body }) => body) };
}

test("a message to a finished run goes to the running one in its session, unless that belongs to another conversation", async () => {
	expect(await sendWhileAtWork("ours")).toMatchObject({ answer: { status: "accepted" }, taken: ["One more thing."] });
	// It is a new task then, for an agent that is not there in this test.
	expect(await sendWhileAtWork("theirs")).toMatchObject({
		answer: { status: "error", error: expect.stringContaining("Unknown agent") },
		taken: [],
	});
});
