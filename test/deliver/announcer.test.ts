import { describe, expect, test } from "vitest";
import { Announcer } from "../../src/deliver/announcer.ts";
import type { DeliveryServices } from "../../src/deliver/announcer-setup.ts";
import type { Drain } from "../../src/deliver/current-drain.ts";
import { RunEvents } from "../../src/deliver/run-events.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { NO_LOG } from "../../src/log/log.ts";
import type { RunId } from "../../src/run/ids.ts";
import { NO_USER } from "../../src/supervise/ask.ts";
import { LiveRuns } from "../../src/supervise/live-runs.ts";
import { Supervisor } from "../../src/supervise/supervisor.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { admission, success } from "../ledger/samples.ts";
import { SimConversation } from "../simulation/conversation.ts";
import { quietWorld } from "../simulation/quiet-world.ts";
import { SimSession } from "../simulation/session-file.ts";
import type { World } from "../simulation/world.ts";

const SESSION = "parent";
const FILE = "/parents/p0.jsonl";

/** A pi with one session in virtual time, and what it takes to look after its runs. */
async function scene({ world = quietWorld() } = {}) {
	const pi = world.start("p0");
	const ledger = world.database.ledgerOf(pi);
	const supervisor = new Supervisor({ ledger, ports: pi.ports });
	const services: DeliveryServices = { ledger, supervisor, redactor: NO_REDACTOR };
	let failsToOpen = 0;
	const announcer: Announcer<SimConversation> = new Announcer({
		ports: pi.ports,
		log: NO_LOG,
		events: new RunEvents({ emit: () => {} }, 0),
		live: new LiveRuns(),
		wasEverUsed: () => true,
		use: async (_talk, work) => {
			if (failsToOpen-- > 0) throw new Error("no ledger");
			return work(services);
		},
		askUser: () => async () => NO_USER,
		openQuestionDialogs: () => expect.fail("nobody asks"),
	});
	const talk: SimConversation = new SimConversation(world, pi, new SimSession(world, pi, { file: FILE, id: SESSION }), {
		promptEntered: () => announcer.promptEntered(),
		promptArrived: () => announcer.promptArrived(),
		turnEnded: async (results) => announcer.settleSoon(talk, results),
		settled: () => announcer.rested(talk),
	});
	const admitted = (): RunId => admitRun(ledger, admission({ mode: "background", parentSession: SESSION })).run.id;
	const ended = (): RunId => {
		const id = admitted();
		endRun(ledger, { id, fence: 0, outcome: success(), at: world.scheduler.now });
		return id;
	};
	const delivery = (id: RunId) =>
		ledger.get<{ delivery: string; deliverer: string | null }>("SELECT delivery, deliverer FROM runs WHERE id = ?", id);
	const isOwed = (id: RunId) => delivery(id)?.delivery === "owed";
	return {
		world,
		announcer,
		talk,
		admitted,
		ended,
		delivery,
		isOwed,
		announced: () => announcesIn(world),
		failToOpen: (times: number) => {
			failsToOpen = times;
		},
		/** Lets virtual time pass. */
		pass: (ms: number) => passing(world, ms),
	};
}

function passing({ scheduler }: World, ms: number): Promise<void> {
	const until = scheduler.elapsed + ms;
	return scheduler.run(() => scheduler.elapsed >= until);
}

const announcesIn = (world: World): unknown[] =>
	(world.files.text(FILE) ?? "")
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as { customType?: string; details?: { announceId?: string } })
		.flatMap(({ customType, details }) => (customType?.startsWith("pi-geon:") ? [details?.announceId] : []));

test("what is owed to a session is announced in it once, and the debt is paid once its file holds that", async () => {
	const { announcer, talk, ended, delivery, announced, pass } = await scene();
	const id = ended();
	announcer.attend(talk);
	await pass(30_000);
	expect(announced()).toEqual([id]);
	expect(delivery(id)?.delivery).toBe("delivered");
});

test.each(["a moment later", "at once when the session is left"])("what a turn told is settled %s", async (when) => {
	const { world, announcer, talk, ended, delivery, pass } = await scene();
	const id = ended();
	announcer.await(id, "call");
	const execute = async () => ({ runId: id, results: [{}] });
	void talk.prompt("Go.", [{ id: "call", toolName: "subagent", execute }]);
	await world.scheduler.run(() => world.files.text(FILE)?.includes("toolResult") === true);
	expect(delivery(id)?.delivery).toBe("owed");
	if (when === "a moment later") await pass(100);
	else await Promise.all([announcer.stop(talk), pass(1)]);
	expect(delivery(id)?.delivery).toBe("delivered");
});

test("nothing is looked for in a session in which nothing was said", async () => {
	const { announcer, talk, ended, isOwed, announced, pass } = await scene();
	const id = ended();
	announcer.begin(talk);
	await pass(30_000);
	expect([announcer.isConcerned, announced(), isOwed(id)]).toEqual([false, [], true]);
});

test("a run that a call awaits is not announced, until the call is over without a result", async () => {
	const { announcer, talk, ended, announced, pass } = await scene();
	const id = ended();
	announcer.await(id, "call");
	announcer.attend(talk);
	await pass(30_000);
	expect(announced()).toEqual([]);
	announcer.endAwait(id);
	await pass(30_000);
	expect(announced()).toEqual([id]);
});

test("a pi that comes to rest while a call has not returned does not forget the call", async () => {
	const { announcer, talk, ended, announced, pass } = await scene();
	const id = ended();
	announcer.await(id, "call");
	announcer.attend(talk);
	announcer.rested(talk);
	await pass(30_000);
	expect(announced()).toEqual([]);
	announcer.returned(id);
	announcer.rested(talk);
	await pass(30_000);
	expect(announced()).toEqual([id]);
});

test("while a prompt is on its way nothing is announced", async () => {
	const { announcer, talk, ended, announced, pass } = await scene();
	const id = ended();
	announcer.promptEntered();
	announcer.attend(talk);
	await pass(9000);
	expect(announced()).toEqual([]);
	announcer.promptArrived();
	await pass(5000);
	expect(announced()).toEqual([id]);
});

test("a ledger that cannot be opened is tried again, and the user is told once", async () => {
	const { announcer, talk, ended, announced, failToOpen, pass } = await scene();
	const id = ended();
	failToOpen(3);
	announcer.attend(talk);
	await pass(14_000);
	expect(announced()).toEqual([]);
	await pass(16_000);
	expect(announced()).toEqual([id]);
	expect(talk.notices).toEqual(["pi-geon cannot read its run ledger: no ledger Retrying."]);
});

test("what a closed session was not told can be taken by the next process at once", async () => {
	const first = await scene();
	const id = first.ended();
	// On a full disk the announce only reaches pi's memory.
	first.world.history.troubles.push({ what: "disk", from: 0, to: 4000 });
	first.announcer.attend(first.talk);
	await first.pass(2000);
	expect(first.delivery(id)?.deliverer).toMatch(/^1000:/);
	const stopped = first.announcer.stop(first.talk);
	await first.pass(10);
	await stopped;
	expect(first.delivery(id)).toEqual({ delivery: "owed", deliverer: null });
});

describe("a pi that is about to exit", () => {
	function drain(world: World, said: string[]): Drain {
		const deadline = world.scheduler.elapsed + 3000;
		return { deadline, sayAwaited: () => said.push("awaited"), sayLeft: () => said.push("left") };
	}

	test("is handed what ended", async () => {
		const { announcer, talk, ended, world, pass } = await scene();
		const id = ended();
		const handed = announcer.drain(talk, drain(world, []));
		await pass(2000);
		expect((await handed).map(({ details }) => "announceId" in details && details.announceId)).toEqual([id]);
	});

	test("gets nothing once its time is over, and says what it leaves", async () => {
		const { announcer, talk, admitted, world, pass } = await scene();
		const said: string[] = [];
		admitted();
		const handed = announcer.drain(talk, drain(world, said));
		await pass(5000);
		expect([await handed, said]).toEqual([[], ["awaited", "left"]]);
	});
});
