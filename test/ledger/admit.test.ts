import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { findRun } from "../../src/ledger/records.ts";
import { findSession } from "../../src/ledger/sessions.ts";
import { newSessionId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { admission } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

test("an admitted run is seen by another process from then on, whatever becomes of us", async () => {
	const ledger = await scratch.ledger();
	const { run } = admitRun(ledger, admission());
	const peer = await scratch.peer();
	expect(await peer.call("stateOf", { file: ledger.file, id: run.id })).toBe("queued");
});

test("what was admitted is what is read back", async () => {
	const ledger = await scratch.ledger();
	const wish = admission({
		mode: "background",
		parentSession: "of the parent",
		toolCall: "call 1",
		label: "look",
		at: 7,
	});
	const record = admitRun(ledger, wish);
	expect(record).toEqual({
		run: { id: record.run.id, state: "queued", attempt: 0, maxAttempts: 2, fence: 0 },
		seq: 1,
		sessionId: wish.plan.session.id,
		parentSession: "of the parent",
		toolCall: "call 1",
		mode: "background",
		label: "look",
		profile: { digest: "p" },
		plan: wish.plan,
		usage: NO_USAGE,
		createdAt: 7,
	});
	expect(findRun(ledger, record.run.id)).toEqual(record);
});

test("a thousand runs have a thousand ids, in the order of admission", async () => {
	const ledger = await scratch.ledger();
	const records = Array.from({ length: 1000 }, () => admitRun(ledger, admission()));
	expect(new Set(records.map(({ run }) => run.id)).size).toBe(1000);
	expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
});

test("the session is written with its first run, and keeps the definition of its last", async () => {
	const ledger = await scratch.ledger();
	const session = newSessionId();
	expect(findSession(ledger, session)).toBeUndefined();
	admitRun(ledger, admission({ session, digest: "first" }));
	const known = {
		everStarted: false,
		isThere: false,
		folderIsThere: false,
		principal: "main",
		last: { model: "test/model", projectTrusted: true },
		id: session,
		agent: "scout",
		cwd: "/repo",
		file: `/sessions/${session}.jsonl`,
	};
	expect(findSession(ledger, session)).toEqual({ ...known, definition: "first" });
	admitRun(ledger, admission({ session, digest: "second" }));
	expect(findSession(ledger, session)).toEqual({ ...known, definition: "second" });
	expect(ledger.get("SELECT count(*) AS n FROM sessions")).toEqual({ n: 1 });
});

test("an admission that fails leaves no session behind", async () => {
	const ledger = await scratch.ledger();
	const wish = admission();
	const cyclic: Record<string, unknown> = {};
	cyclic.itself = cyclic;
	expect(() => admitRun(ledger, { ...wish, plan: { ...wish.plan, outputSchema: cyclic } })).toThrow();
	expect(findSession(ledger, wish.plan.session.id)).toBeUndefined();
	expect(admitRun(ledger, wish).run.state).toBe("queued");
});
