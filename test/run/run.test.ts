import { describe, expect, test } from "vitest";
import type { Hop } from "../../src/run/hop.ts";
import type { HostId, RunId } from "../../src/run/ids.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { isRefused, type Run, type TransitionEvent, transition } from "../../src/run/run.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import fc from "../helpers/fast-check.ts";

const fresh: Run = { id: "0000abcd" as RunId, state: "queued", attempt: 0, maxAttempts: 2, fence: 0 };

const success = asItIs<Outcome>({
	status: "success",
	cause: "finalized",
	exitCode: 0,
	finalized: { status: "SUCCESS", result: "done" },
	output: "done",
	usage: NO_USAGE,
	displayItems: [],
	attempts: 1,
	warnings: [],
});

const host = fc.constantFrom("aaaaaaaa" as HostId, "bbbbbbbb" as HostId);
const moment = fc.nat(1000);
const fence = fc.nat(6);
const hop: Hop = { from: "test/a", to: "test/b", why: 429 };
const anyEvent: fc.Arbitrary<TransitionEvent> = fc.oneof(
	fc.record({ type: fc.constant("claimed" as const), at: moment, hostId: host, leaseUntil: moment }),
	fc.record({ type: fc.constant("renewed" as const), at: moment, fence, leaseUntil: moment }),
	fc.record({ type: fc.constant("attempted_again" as const), at: moment, fence }),
	fc.record({ type: fc.constant("hopped" as const), at: moment, fence, hop: fc.constant(hop) }),
	fc.record({ type: fc.constant("stop_requested" as const), at: moment, by: fc.string() }),
	fc.record({ type: fc.constant("lease_expired" as const), at: moment, shared: fc.boolean() }),
	fc.record({ type: fc.constant("ended" as const), at: moment, fence, outcome: fc.constant(success) }),
	fc.record({ type: fc.constantFrom("delivered" as const, "skipped" as const), at: moment }),
	fc.record({ type: fc.constant("archived" as const), at: moment }),
);

/** Every state a sequence of events passes through, refused events leaving it unchanged. */
function history(events: TransitionEvent[]): { before: Run; event: TransitionEvent; after: Run; refused: boolean }[] {
	let run: Run = fresh;
	return events.map((event) => {
		const before = run;
		const result = transition(before, event);
		const refused = isRefused(result);
		if (!refused) run = result;
		return { before, event, after: run, refused };
	});
}

function apply(...events: TransitionEvent[]): Run {
	let run: Run = fresh;
	for (const event of events) {
		const result = transition(run, event);
		if (isRefused(result)) throw new Error(`${event.type} refused: ${result.refusedBecause}`);
		run = result;
	}
	return run;
}

const claimed: TransitionEvent = { type: "claimed", at: 1, hostId: "aaaaaaaa" as HostId, leaseUntil: 10 };

describe("no sequence of events leaves a run in a state the prose forbids", () => {
	const everyStep = (check: (step: ReturnType<typeof history>[number]) => void) =>
		fc.assert(
			fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => history(events).forEach(check)),
			{ numRuns: 2000 },
		);

	test("only a running run has a host and a lease; only an ended one has an outcome and a debt", () =>
		everyStep(({ after }) => {
			expect("hostId" in after).toBe(after.state === "running");
			expect("leaseUntil" in after).toBe(after.state === "running");
			expect("outcome" in after).toBe(after.state === "ended");
			expect("delivery" in after).toBe(after.state === "ended");
		}));

	test("an ended run stays ended, with the outcome it had", () =>
		everyStep(({ before, after }) => {
			if (before.state !== "ended") return;
			expect(after.state).toBe("ended");
			expect(after).toMatchObject({ outcome: before.outcome, endedAt: before.endedAt });
		}));

	test("a settled debt never changes again", () =>
		everyStep(({ before, after }) => {
			if (before.state !== "ended" || before.delivery.state === "owed") return;
			expect(after).toMatchObject({ delivery: before.delivery });
		}));

	test("nothing is archived while its outcome is owed", () =>
		everyStep(({ after }) => {
			if (after.state === "ended" && after.archivedAt !== undefined) expect(after.delivery.state).not.toBe("owed");
		}));

	test("the fence never falls, and grows whenever the run changes hands", () =>
		everyStep(({ before, after }) => {
			expect(after.fence).toBeGreaterThanOrEqual(before.fence);
			const handBefore = before.state === "running" ? before.hostId : undefined;
			const handAfter = after.state === "running" ? after.hostId : undefined;
			if (handBefore !== handAfter && after.state !== "ended") expect(after.fence).toBeGreaterThan(before.fence);
		}));

	test("attempts count claims and further tries, and never exceed their number", () =>
		everyStep(({ before, event, after, refused }) => {
			const counts = ["claimed", "attempted_again", "hopped"].includes(event.type);
			expect(after.attempt).toBe(before.attempt + (counts && !refused ? 1 : 0));
			expect(after.attempt).toBeLessThanOrEqual(after.maxAttempts);
		}));

	test("a hop takes no attempt from those that are left, and is never forgotten", () =>
		everyStep(({ before, event, after, refused }) => {
			const hopped = event.type === "hopped" && !refused;
			const left = ({ attempt, maxAttempts }: Run) => maxAttempts - attempt;
			if (hopped) expect(left(after)).toBe(left(before));
			expect(after.hops?.length ?? 0).toBe((before.hops?.length ?? 0) + (hopped ? 1 : 0));
		}));

	test("the first stop request is kept, and no run is claimed after one", () =>
		everyStep(({ before, event, refused, after }) => {
			if (!before.stop) return;
			expect(after.stop).toEqual(before.stop);
			if (event.type === "claimed") expect(refused).toBe(true);
		}));

	test("the start of the first attempt is never moved", () =>
		everyStep(({ before, after }) => {
			if (before.startedAt !== undefined) expect(after.startedAt).toBe(before.startedAt);
		}));

	test("a refused event changes nothing", () =>
		everyStep(({ before, after, refused }) => {
			if (refused) expect(after).toBe(before);
		}));
});

describe("a host that lost its run", () => {
	const lost = apply(claimed, { type: "lease_expired", at: 11, shared: false });

	test("can neither renew nor end it, even after another host has claimed it", () => {
		const elsewhere = apply(
			claimed,
			{ type: "lease_expired", at: 11, shared: false },
			{ type: "claimed", at: 12, hostId: "bbbbbbbb" as HostId, leaseUntil: 20 },
		);
		for (const run of [lost, elsewhere]) {
			expect(transition(run, { type: "renewed", at: 12, fence: 1, leaseUntil: 99 })).toHaveProperty("refusedBecause");
			expect(transition(run, { type: "ended", at: 12, fence: 1, outcome: success })).toHaveProperty("refusedBecause");
		}
	});

	test("keeps it when it is merely late and no process has taken it back", () => {
		expect(transition(apply(claimed), { type: "ended", at: 500, fence: 1, outcome: success })).toMatchObject({
			state: "ended",
		});
	});

	test("a lease that still holds is not taken back", () => {
		expect(transition(apply(claimed), { type: "lease_expired", at: 9, shared: false })).toHaveProperty(
			"refusedBecause",
		);
	});
});

test("a queued run can be ended without ever having been claimed, because it was stopped", () => {
	const stopped = apply(
		{ type: "stop_requested", at: 1, by: "user" },
		{ type: "ended", at: 2, fence: 0, outcome: success },
	);
	expect(stopped).toMatchObject({ state: "ended", attempt: 0, delivery: { state: "owed" } });
});

describe("a run that lost its host at its last attempt", () => {
	const lastAttempt = (maxAttempts: number): TransitionEvent[] =>
		Array.from({ length: maxAttempts }, (_, n): TransitionEvent[] => [
			...(n > 0 ? [{ type: "lease_expired", at: 11, shared: true } as const] : []),
			{ type: "claimed", at: 1, hostId: "aaaaaaaa" as HostId, leaseUntil: 10 },
		]).flat();
	const bereft = (maxAttempts: number, shared: boolean): Run =>
		[...lastAttempt(maxAttempts), { type: "lease_expired", at: 11, shared } as const].reduce<Run>(
			(run, event) => {
				const next = transition(run, event);
				return isRefused(next) ? run : next;
			},
			{ ...fresh, maxAttempts },
		);

	test("gets one more if others were in that host: the fault may have been theirs", () => {
		expect(bereft(2, true)).toMatchObject({ state: "queued", attempt: 2, maxAttempts: 3 });
	});

	test("gets none if it was alone, or was to be tried once only", () => {
		expect(bereft(2, false)).toMatchObject({ attempt: 2, maxAttempts: 2 });
		expect(bereft(1, true)).toMatchObject({ attempt: 1, maxAttempts: 1 });
	});
});
