import type { Processes } from "../ports/processes.ts";
import { endProcess, isDead } from "./host-process.ts";
import { endLeftovers } from "./leftovers.ts";
import { processStart } from "./process-start.ts";

/** The real processes of this machine. */
export const systemProcesses: Processes = {
	self: {
		pid: process.pid,
		get started() {
			return processStart(process.pid) ?? "";
		},
	},
	isDead,
	end: endProcess,
	endLeftovers,
	exit: () => process.exit(),
};
