import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import type { RunEvent } from "../../src/deliver/run-event.ts";
import { RunEvents } from "../../src/deliver/run-events.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { skipDelivery } from "../../src/ledger/deliveries.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openRunsOf } from "../../src/ledger/open-runs.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { findRun, type RunRecord } from "../../src/ledger/records.ts";
import { claimNext, settleDelivery } from "../ledger/one-run.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const redactor = createRedactor({ secrets: ["s3cret-value"], homeDir: "/home/ada" });

/** What one process hears, and its look at the ledger. */
function listener(ledger: Ledger, since = 0) {
	const heard: { step: string; event: RunEvent }[] = [];
	const bus = { emit: (name: string, event: RunEvent) => heard.push({ step: name.replace("subagents:", ""), event }) };
	const events = new RunEvents(bus, since);
	const look = () => events.observe(openRunsOf(ledger, "parent", 0), { ledger, redactor });
	return { events, look, heard, steps: () => heard.map(({ step }) => step) };
}

const admit = (ledger: Ledger, mode: RunRecord["mode"] = "background", at = 0): RunRecord =>
	admitRun(ledger, admission({ mode, label: "a label", at }));

function claim(ledger: Ledger, hostId = readyHost(ledger, { profile: "p" })): void {
	claimNext(ledger, { hostId, profile: "p", at: 1, leaseMs: 1000 });
}

function end(ledger: Ledger, { run }: RunRecord, outcome = success()): void {
	const fence = findRun(ledger, run.id)?.run.fence ?? 0;
	endRun(ledger, { id: run.id, fence, outcome, at: 2 });
}

test("however often it is looked at, each step is reported once", async () => {
	const ledger = await scratch.ledger();
	const { events, look, steps } = listener(ledger);
	const record = admit(ledger);
	events.created(record, { redactor });
	for (const step of [() => claim(ledger), () => end(ledger, record), () => settleDelivery(ledger, record.run.id, 3)]) {
		look();
		step();
		look();
	}
	look();
	expect(steps()).toEqual(["created", "started", "ended", "announced"]);
});

test("events between two looks are reported in order", async () => {
	const ledger = await scratch.ledger();
	const { events, look, steps } = listener(ledger);
	const record = admit(ledger);
	events.created(record, { redactor });
	claim(ledger);
	end(ledger, record);
	look();
	events.announced(record.run.id);
	look();
	expect(steps()).toEqual(["created", "started", "ended", "announced"]);
});

test("a run that was stopped while it waited never started", async () => {
	const ledger = await scratch.ledger();
	const { events, look, steps } = listener(ledger);
	const record = admit(ledger);
	events.created(record, { redactor });
	end(ledger, record, outcomeOf(record, { kind: "stopped", by: "the user" }));
	look();
	expect(steps()).toEqual(["created", "ended"]);
});

test("neither silence nor a tool's result is an announce", async () => {
	const ledger = await scratch.ledger();
	const { events, look, steps } = listener(ledger);
	const silent = admit(ledger);
	const foreground = admit(ledger, "foreground");
	for (const record of [silent, foreground]) {
		events.created(record, { redactor });
		end(ledger, record);
	}
	skipDelivery(ledger, silent.run.id, 3);
	settleDelivery(ledger, foreground.run.id, 3);
	look();
	look();
	expect(steps()).toEqual(["created", "created", "ended", "ended"]);
});

test("a run of an earlier process continues from its current state", async () => {
	const ledger = await scratch.ledger();
	const queued = listener(ledger);
	const running = listener(ledger);
	const record = admit(ledger);
	queued.look();
	claim(ledger);
	queued.look();
	running.look();
	end(ledger, record);
	queued.look();
	running.look();
	expect(queued.steps()).toEqual(["started", "ended"]);
	expect(running.steps()).toEqual(["ended"]);
	expect(running.heard[0]?.event).toMatchObject({ runId: record.run.id, agent: "scout", label: "a label" });
});

test("a run that another process admits meanwhile is reported from its beginning", async () => {
	const ledger = await scratch.ledger();
	const { look, heard, steps } = listener(ledger, 100);
	const record = admit(ledger, "background", 101);
	look();
	expect(steps()).toEqual(["created"]);
	expect(heard[0]?.event).toMatchObject({ runId: record.run.id, agent: "scout", label: "a label", state: "queued" });
	claim(ledger);
	look();
	end(ledger, record);
	look();
	settleDelivery(ledger, record.run.id, 103);
	look();
	look();
	expect(steps()).toEqual(["created", "started", "ended", "announced"]);
});

test.each(["running", "ended"])("so is one that is first seen when it is %s", async (state) => {
	const ledger = await scratch.ledger();
	const { events, look, steps } = listener(ledger, 100);
	const record = admit(ledger, "background", 101);
	claim(ledger);
	if (state === "running") {
		look();
		expect(steps()).toEqual(["created", "started"]);
	}
	end(ledger, record);
	const now = findRun(ledger, record.run.id);
	if (now) events.saw(now, { ledger, redactor });
	look();
	expect(steps()).toEqual(["created", "started", "ended"]);
});

test("one that was stopped before it was first seen never started", async () => {
	const ledger = await scratch.ledger();
	const { events, steps } = listener(ledger, 100);
	const record = admit(ledger, "background", 101);
	end(ledger, record, outcomeOf(record, { kind: "stopped", by: "the user" }));
	const now = findRun(ledger, record.run.id);
	if (now) events.saw(now, { ledger, redactor });
	expect(steps()).toEqual(["created", "ended"]);
});

test("a look between admission and its news tells the creation once", async () => {
	const ledger = await scratch.ledger();
	const { events, look, steps } = listener(ledger, 100);
	const record = admit(ledger, "background", 101);
	claim(ledger);
	look();
	events.created(record, { redactor });
	look();
	expect(steps()).toEqual(["created", "started"]);
});

test("a run that was created before is continued from its current state", async () => {
	const ledger = await scratch.ledger();
	const { look, steps } = listener(ledger, 100);
	admit(ledger, "background", 100);
	look();
	claim(ledger);
	look();
	expect(steps()).toEqual(["started"]);
});

test("an error that an older build wrote without a host is redacted", async () => {
	const ledger = await scratch.ledger();
	ledger.redact = redactor.redact;
	const { events, look, heard } = listener(ledger);
	const record = admit(ledger);
	events.created(record, { redactor });
	end(ledger, record, outcomeOf(record, { kind: "lost", message: "the log says s3cret-value" }));
	ledger.run("UPDATE runs SET outcome = json_remove(outcome, '$.version', '$.cause')");
	look();
	expect(JSON.stringify(heard)).not.toContain("s3cret-value");
});
