import { type Claim, claimRuns } from "../../src/ledger/claim.ts";
import { settleDeliveries } from "../../src/ledger/deliveries.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ProfileKey } from "../../src/ledger/profile-key.ts";
import type { RunRecord } from "../../src/ledger/records.ts";
import type { RunId } from "../../src/run/ids.ts";

/** What the ledger does for many runs at once, for one. */

export function claimNext(
	ledger: Ledger,
	claim: Omit<Claim, "atMost" | "profile"> & { profile: string | ProfileKey },
): RunRecord | undefined {
	return claimRuns(ledger, { ...claim, profile: keyOf(claim.profile), atMost: 1 })[0];
}

/** A digest alone names hosts that share. */
export const keyOf = (profile: string | ProfileKey): ProfileKey =>
	typeof profile === "string" ? { digest: profile } : profile;

export function settleDelivery(ledger: Ledger, id: RunId, at: number): boolean {
	return settleDeliveries(ledger, [id], at).has(id);
}
