import type { Progress } from "../../processes/protocol.ts";
import { ours, type Redacted } from "../../run/redacted.ts";
import type { Usage } from "../../run/usage.ts";

/** The progress that watchers of a run see until a worker has it. */
export const waitingProgress = ({ pool, since, usage }: { pool: string; since: number; usage: Usage }): Progress => ({
	displayItems: [
		// The name is from the user's configuration, checked letter by letter.
		{ type: "text", text: ours`Waiting for a worker of pool ${pool as Redacted} since ${clockTime(since)}` },
	],
	usage,
	turnCount: usage.turns,
});

const clockTime = (at: number): Redacted => new Date(at).toTimeString().slice(0, 8) as Redacted;
