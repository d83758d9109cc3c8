import type { Clock } from "./clock.ts";
import type { Processes } from "./processes.ts";
import type { Wire } from "./wire.ts";

/** The world outside of the ledger, as the loops of parents and hosts use it. */
export interface Ports {
	clock: Clock;
	processes: Processes;
	wire: Wire;
}
