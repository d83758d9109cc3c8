import { expect, test } from "vitest";
import { LedgerTrouble, type TroubleKind } from "../../src/ledger/trouble.ts";
import { waitOutTrouble } from "../../src/ledger/wait-out.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** A clock that is as late as it was slept on. */
function sleepingClock(): Clock {
	let elapsed = 0;
	return {
		now: () => elapsed,
		elapsed: () => elapsed,
		after: () => () => {},
		sleep: async (ms) => {
			elapsed += ms;
		},
	};
}

const trouble = (kind: TroubleKind) => new LedgerTrouble(kind, "ledger.sqlite", new Error("no"));

/** Fails with this error until so late. */
const failing = (clock: Clock, error: unknown, untilMs: number) => () => {
	if (clock.elapsed() < untilMs) throw error;
	return "done";
};

test.each(["locked", "full", "disk", "permissions"] as const)(
	"waits until a ledger is no longer in trouble: %s",
	async (kind) => {
		const clock = sleepingClock();
		expect(await waitOutTrouble(failing(clock, trouble(kind), 5000), { clock, withinMs: 20_000 })).toBe("done");
		expect(clock.elapsed()).toBeGreaterThanOrEqual(5000);
	},
);

test("waits until a folder is no longer forbidden", async () => {
	const clock = sleepingClock();
	const forbidden = Object.assign(new Error("EACCES"), { code: "EACCES" });
	expect(await waitOutTrouble(failing(clock, forbidden, 5000), { clock, withinMs: 20_000 })).toBe("done");
});

test.each([
	["trouble that lasts too long", trouble("locked"), 20_000],
	["a damaged ledger", trouble("damaged"), 0],
	["an address that is in use", Object.assign(new Error("in use"), { code: "EADDRINUSE" }), 0],
	["a bug", new TypeError("a bug"), 0],
])("does not wait for ever for %s", async (_name, error, waited) => {
	const clock = sleepingClock();
	const done = waitOutTrouble(failing(clock, error, Number.POSITIVE_INFINITY), { clock, withinMs: 20_000 });
	await expect(done).rejects.toBe(error);
	expect(clock.elapsed()).toBe(waited);
});
