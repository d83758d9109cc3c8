/**
 * Many at once: N delegations in one message with a model that takes 2 s, and 1,000 background runs with one that takes
 * 5 s. Wall time over the ideal (the model's own), memory of the whole process tree, event-loop delay of the parent.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { delay, toolCall } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { mb, times } from "./figures.ts";
import { startParent } from "./parent.ts";
import { memoryOf, watchMemory } from "./process-tree.ts";
import { type Measured, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		sizes: { type: "string", default: "1,8,32,200" },
		background: { type: "string", default: "1000" },
		json: { type: "boolean" },
	},
});
const staged = stagePackage();
const finalize = toolCall("subagent_finalize", { status: "SUCCESS", result: "Seen." });
const config = { agents: { defaults: { subagents: { maxConcurrent: 2000 } } } };
const common = { extension: staged.path, config, env: { PI_GEON_HOST_IDLE_MS: "60000" } };
const rows: Measured[] = [];

try {
	for (const size of values.sizes.split(",").map(Number).filter(Boolean)) rows.push(...(await foreground(size)));
	if (Number(values.background) > 0) rows.push(...(await background(Number(values.background))));
} finally {
	staged.remove();
}
report("Many at once", rows);

async function foreground(size: number): Promise<Measured[]> {
	const modelMs = size > 32 ? 5000 : 2000;
	const parent = await startParent({
		...common,
		calls: Array.from({ length: size }, (_, index) =>
			toolCall("subagent", { agent: "explorer", task: `Task ${index}.` }),
		),
		child: () => [delay(modelMs), finalize],
	});
	const memory = watchMemory(parent.home);
	const ratio = (await parent.roundTrip()) / modelMs;
	const peak = memory.stop();
	await parent.close();
	const goals = size === 32;
	return [
		{
			what: `${size} at once, ${modelMs / 1000} s model: time / ideal`,
			value: ratio,
			shown: times(ratio),
			...(goals && { goal: { atMost: 1.15, shown: "at most 1.15 ×" } }),
		},
		{
			what: `${size} at once: memory of the tree`,
			value: peak,
			shown: mb(peak),
			...(goals && { goal: { atMost: 300 * 2 ** 20, shown: "under 300 MB" } }),
		},
	];
}

async function background(size: number): Promise<Measured[]> {
	const modelMs = 5000;
	const calls = Array.from({ length: size }, (_, index) =>
		toolCall("sessions_spawn", { task: `Task ${index}.`, agent: "explorer" }),
	);
	const file = join(staged.path, "loop-delay");
	const parent = await startParent({
		...common,
		env: { ...common.env, LOOP_DELAY_FILE: file },
		moreExtensions: [join(repositoryRoot, "bench", "fixtures", "loop-delay.ts")],
		calls,
		child: () => [delay(modelMs), finalize],
	});
	const idle = memoryOf(parent.home);
	const memory = watchMemory(parent.home);
	const started = performance.now();
	await parent.rpc.prompt("Go.");
	const announced = () =>
		parent.rpc.events.filter((event) => event.type === "message_end" && JSON.stringify(event).includes('"announceId"'))
			.length;
	await parent.rpc.waitForEvent(() => announced() >= size, 120_000);
	await parent.rpc
		.waitForEvent((event) => event.type === "agent_settled", 120_000, parent.rpc.events.length - 1)
		.catch(() => {});
	const ratio = (performance.now() - started) / modelMs;
	const perRun = (memory.stop() - idle) / size;
	await parent.close();
	const loopMs = Number(readFileSync(file, "utf8"));
	return [
		{
			what: `${size} in the background, 5 s model: time until all are announced / ideal`,
			value: ratio,
			shown: times(ratio),
			goal: { atMost: 1.4, shown: "at most 1.4 ×" },
		},
		{
			what: `${size} in the background: memory a run`,
			value: perRun,
			shown: `${(perRun / 2 ** 20).toFixed(2)} MB`,
			goal: { atMost: 0.6 * 2 ** 20, shown: "under 0.6 MB" },
		},
		{
			what: `${size} in the background: event-loop delay of the parent, p99`,
			value: loopMs,
			shown: `${loopMs.toFixed(1)} ms`,
			goal: { atMost: 50, shown: "under 50 ms" },
		},
	];
}
