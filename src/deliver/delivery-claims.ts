import { returnDeliveries, takeDeliveries } from "../ledger/deliveries.ts";
import type { Ports } from "../ports/ports.ts";
import type { RunId } from "../run/ids.ts";
import { ProcessClaims } from "../supervise/process-claims.ts";

/** The outcomes that this process delivers, so that no other process with the same session open delivers them too. */
export class DeliveryClaims extends ProcessClaims<RunId> {
	constructor(ports: Ports) {
		super(ports, { take: takeDeliveries, giveBack: returnDeliveries });
	}
}
