import { returnDeliveries, takeDeliveries } from "../ledger/deliveries.ts";
import type { Ports } from "../ports/ports.ts";
import type { RunId } from "../run/ids.ts";
import { ProcessClaims } from "../supervise/process-claims.ts";

/** The outcomes that are for this process to tell, so that no other one that has the same session open tells them too. */
export class DeliveryClaims extends ProcessClaims<RunId> {
	constructor(ports: Ports) {
		super(ports, { take: takeDeliveries, giveBack: returnDeliveries });
	}
}
