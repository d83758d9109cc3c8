/**
 * How long the runs of a lost host wait: from kill -9 of the host, or from its suspension, until all of its runs are at their
 * model again, in another host. The lease is the default.
 */
import { parseArgs } from "node:util";
import { interruptions } from "../test/e2e/interrupted.ts";
import { eventually } from "../test/e2e/ledger-of.ts";
import { hostsAtWork } from "../test/helpers/hosts.ts";
import { hang, toolCall } from "../test/helpers/model-steps.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { finalize } from "./contenders.ts";
import { median, ms } from "./figures.ts";
import { startParent } from "./parent.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "5" },
		runs: { type: "string", default: "8" },
		json: { type: "boolean" },
	},
});
const rounds = Number(values.rounds);
const runs = Number(values.runs);
const staged = stagePackage();

type Signal = "SIGKILL" | "SIGSTOP";
type Tool = "subagent" | "sessions_spawn";

/** One session: its host gets the signal while all its runs wait for their model. */
async function recovery(signal: Signal, tool: Tool): Promise<number> {
	const parent = await startParent({
		extension: staged.path,
		files: {},
		calls: Array.from({ length: runs }, (_, n) => toolCall(tool, { agent: "explorer", task: `Task ${n}.` })),
		child: (request) => (interruptions(request) > 0 ? finalize : [hang()]),
	});
	try {
		const atModel = (again: boolean) =>
			parent.model.requests.filter((request) => request.isChild && interruptions(request) > 0 === again);
		const allAtModel = (again: boolean) =>
			eventually(() => {
				if (atModel(again).length < runs)
					throw new Error(`${atModel(again).length} of ${runs} runs are at their model.`);
			}, 60_000);
		const trip = parent.rpc.promptAndSettle("Go.", 120_000);
		await allAtModel(false);
		const began = performance.now();
		for (const pid of hostsAtWork(parent.home)) process.kill(pid, signal);
		await allAtModel(true);
		await trip;
		return Math.max(...atModel(true).map(({ startedAt }) => startedAt)) - began;
	} finally {
		await parent.close();
	}
}

const CASES = [
	{ what: "after kill -9 of the host", signal: "SIGKILL", atMost: 5000 },
	{ what: "after a suspension of the host", signal: "SIGSTOP", atMost: 20_000 },
] as const;
const TOOLS = ["subagent", "sessions_spawn"] as const;

const rows: Measured[] = [];
try {
	for (const { what, signal, atMost } of CASES) {
		for (const tool of TOOLS) {
			const took: number[] = [];
			for (let round = 0; round < rounds; round++) {
				progress(`${tool}, ${what}, round ${round + 1} of ${rounds}`);
				took.push(await recovery(signal, tool));
			}
			const [middle, longest] = [median(took), Math.max(...took)];
			const goal = { atMost, shown: `at most ${atMost / 1000} s` };
			rows.push(
				{ what: `${tool}, ${what}, the median`, value: middle, shown: ms(middle) },
				{ what: `${tool}, ${what}, the longest`, value: longest, shown: ms(longest), goal },
			);
		}
	}
} finally {
	staged.remove();
}
report(`${runs} runs of a lost host until all are at their model again, ${rounds} rounds`, rows);
