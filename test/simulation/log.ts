import { type Log, NO_LOG } from "../../src/log/log.ts";
import type { SimProcess } from "./process.ts";
import type { World } from "./world.ts";

/** Log lines become lines of the timeline. */
export function simulatedLog(world: World, process: SimProcess): Log {
	if (!world.timeline) return NO_LOG;
	const write = (message: string, facts: object = {}) => {
		const { error, ...rest } = facts as { error?: unknown };
		world.note(process.name, message, { ...rest, ...(error !== undefined && { error: String(error) }) });
	};
	return { info: write, warn: write, error: write };
}
