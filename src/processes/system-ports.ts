import { systemClock } from "../ports/clock.ts";
import type { Ports } from "../ports/ports.ts";
import { socketWire } from "./socket-wire.ts";
import { systemProcesses } from "./system-processes.ts";

/** The real world: this machine. */
export const systemPorts: Ports = { clock: systemClock, processes: systemProcesses, wire: socketWire };
