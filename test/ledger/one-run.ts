import { type Claim, claimRuns } from "../../src/ledger/claim.ts";
import { settleDeliveries } from "../../src/ledger/deliveries.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RunRecord } from "../../src/ledger/records.ts";
import type { RunId } from "../../src/run/ids.ts";

/** What the ledger does for many runs at once, for one. */

export function claimNext(ledger: Ledger, claim: Omit<Claim, "atMost">): RunRecord | undefined {
	return claimRuns(ledger, { ...claim, atMost: 1 })[0];
}

export function settleDelivery(ledger: Ledger, id: RunId, at: number): boolean {
	return settleDeliveries(ledger, [id], at).has(id);
}
