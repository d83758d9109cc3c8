import type { Progress } from "../../processes/protocol.ts";
import type { RunId } from "../../run/ids.ts";
import { ours, type Redacted } from "../../run/redacted.ts";
import type { Usage } from "../../run/usage.ts";

/** The progress that watchers of a run see until a worker has it. */
export const waitingProgress = ({ runId, pool, since, usage }: RunWithoutWorker): Progress => ({
	displayItems: [
		{
			type: "text",
			// The name is from the user's configuration, checked letter by letter.
			text: ours`Waiting for a worker of pool ${pool as Redacted} since ${clockTime(since)}. \`/subagents stop ${runId}\` ends it.`,
		},
	],
	usage,
	turnCount: usage.turns,
});

interface RunWithoutWorker {
	runId: RunId;
	pool: string;
	since: number;
	usage: Usage;
}

const clockTime = (at: number): Redacted => new Date(at).toTimeString().slice(0, 8) as Redacted;
