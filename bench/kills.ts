import { setTimeout as pause } from "node:timers/promises";
import { agentNamed } from "../test/helpers/agent-file.ts";
import { hostsAtWork } from "../test/helpers/hosts.ts";
import { killIfThere } from "../test/helpers/leaks.ts";
import { toolCall } from "../test/helpers/model-steps.ts";
import { isRunning } from "../test/sandbox/attempt.ts";
import { ms } from "./figures.ts";
import { type Parent, startParent } from "./parent.ts";
import { type Measured, progress } from "./report.ts";

/** No other process of this machine sleeps as long. */
const seconds = 7_000_000 + process.pid;
const isThere = () => isRunning(`sleep ${seconds}`);

/** A child whose command leaves a process behind that clears its environment and has a session of its own. */
const open = (extension: string, limits: object): Promise<Parent> =>
	startParent({
		extension,
		agents: { "looker.md": agentNamed("looker", "You look.", "tools: bash") },
		config: { subagents: { allowWrite: true, retry: { enabled: false }, ...limits } },
		files: {},
		calls: toolCall("subagent", { agent: "looker", task: "Look." }),
		child: () => toolCall("bash", { command: `(env -i setsid sleep ${seconds} &); sleep ${seconds}` }),
	});

async function untilGone(): Promise<number> {
	const began = performance.now();
	while (isThere()) await pause(1);
	return performance.now() - began;
}

/** How long such a process is there after kill -9 of its host, and after the requester was told that a limit ended its run. */
export async function goneAfter(extension: string, rounds: number): Promise<Measured[]> {
	const [killed, limited]: [number[], number[]] = [[], []];
	const parents = [await open(extension, {}), await open(extension, { toolTimeoutMs: 1000 })] as const;
	try {
		for (let round = 0; round < rounds; round++) {
			progress(`processes that hide, round ${round + 1} of ${rounds}`);
			const trip = parents[0].roundTrip();
			while (!isThere()) await pause(5);
			for (const pid of hostsAtWork(parents[0].home)) killIfThere(pid);
			killed.push(await untilGone());
			await trip;
			await parents[1].roundTrip();
			limited.push(await untilGone());
		}
	} finally {
		for (const parent of parents) await parent.close();
	}
	return [
		worst("a process that hides, after kill -9 of its host: gone within", killed),
		worst("a process that hides, after a limit ended its run: gone within", limited),
	];
}

function worst(what: string, each: readonly number[]): Measured {
	const value = Math.max(...each);
	return { what, value, shown: ms(value), goal: { atMost: 1000, shown: "at most 1 s" } };
}
