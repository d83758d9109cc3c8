import { afterEach, expect, test, vi } from "vitest";
import { Hub } from "../../../src/page/server/hub.ts";
import type { PageLedger } from "../../../src/page/server/page-ledger.ts";
import { LedgerAway } from "../../../src/page/server/page-ledger.ts";
import { socketWire } from "../../../src/processes/socket-wire.ts";
import { NO_REDACTOR } from "../../helpers/as-it-is.ts";

afterEach(() => {
	vi.useRealTimers();
});

test("the ledger is looked at four times a second while a page is open, and never otherwise", async () => {
	vi.useFakeTimers();
	let looks = 0;
	const away = { state: "absent" as const };
	const ledger = {
		state: away,
		look: async () => {
			looks++;
			return false;
		},
		read: () => Promise.reject(new LedgerAway(away)),
	} as unknown as PageLedger;
	const hub = new Hub({
		ledger,
		redactor: NO_REDACTOR,
		wire: socketWire,
		onTrouble: (error) => expect.fail(String(error)),
	});
	const [one, two] = [{ wake: vi.fn() }, { wake: vi.fn() }];
	await vi.advanceTimersByTimeAsync(60_000);
	expect(looks).toBe(0);
	await hub.join(one, undefined);
	await hub.join(two, undefined);
	const joined = looks;
	await vi.advanceTimersByTimeAsync(10_000);
	expect(looks - joined).toBe(40);
	// Nothing was written, so no page has anything to do.
	const woken = one.wake.mock.calls.length;
	await vi.advanceTimersByTimeAsync(10_000);
	expect(one.wake.mock.calls).toHaveLength(woken);
	hub.leave(one);
	hub.leave(two);
	const left = looks;
	await vi.advanceTimersByTimeAsync(60_000);
	expect(looks).toBe(left);
	hub.end();
});
