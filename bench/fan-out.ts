/**
 * Many at once: N delegations in one message with a model that takes 2 s, and 1,000 background runs with one that takes
 * 5 s. Wall time over the ideal (the model's own), memory of the whole process tree, event-loop delay of the parent.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { delay, text, toolCall } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { bareSessions, finalize } from "./contenders.ts";
import { mb, times } from "./figures.ts";
import { startParent } from "./parent.ts";
import { memoryOf, watchMemory } from "./process-tree.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		sizes: { type: "string", default: "1,8,32,200" },
		background: { type: "string", default: "1000" },
		"no-limits": { type: "boolean" },
		json: { type: "boolean" },
	},
});
const staged = stagePackage();
const config = { agents: { defaults: { subagents: { maxConcurrent: 2000 } } } };
const common = { extension: staged.path, config, env: { PI_GEON_HOST_IDLE_MS: "60000" } };
const limits = values["no-limits"] !== true;
const rows: Measured[] = [];

try {
	await transpile();
	for (const size of values.sizes.split(",").map(Number).filter(Boolean)) {
		rows.push(...(await foreground(size)));
		if (limits && size === 32) rows.push(...(await bare(size)));
	}
	const background = Number(values.background);
	if (background > 0) {
		const ours = await inBackground(background);
		rows.push(...ours);
		const limit = limits ? await bare(background) : [];
		rows.push(...limit);
		const [our, their] = [ours[0]?.value, limit[0]?.value];
		if (our !== undefined && their !== undefined) {
			rows.push({
				what: `${background} in the background / as many bare sessions in one process`,
				value: our / their,
				shown: times(our / their),
				goal: { atMost: 1.15, shown: "at most 1.15 ×" },
			});
		}
	}
} finally {
	staged.remove();
}
report("Many at once", rows);

/** The first pi after an installation transpiles what the next ones find ready. */
async function transpile(): Promise<void> {
	progress("one delegation, for what only happens after an installation");
	const parent = await startParent({
		...common,
		calls: toolCall("subagent", { agent: "explorer", task: "Task." }),
		child: () => finalize,
	});
	await parent.roundTrip().finally(() => parent.close());
}

async function foreground(size: number): Promise<Measured[]> {
	progress(`${size} at once`);
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
			...(goals && { goal: { atMost: 1.1, shown: "at most 1.1 ×" } }),
		},
		{
			what: `${size} at once: memory of the tree`,
			value: peak,
			shown: mb(peak),
			...(goals && { goal: { atMost: 300 * 2 ** 20, shown: "under 300 MB" } }),
		},
	];
}

/** The same number of sessions in the parent's own process, with nothing around them. */
async function bare(size: number): Promise<Measured[]> {
	progress(`${size} bare sessions at once`);
	const modelMs = size > 32 ? 5000 : 2000;
	const parent = await bareSessions(size, () => [delay(modelMs), text("Seen.")]);
	const idle = memoryOf(parent.home);
	const memory = watchMemory(parent.home);
	const ratio = (await parent.roundTrip()) / modelMs;
	const perRun = (memory.stop() - idle) / size;
	await parent.close();
	const what = `limit: ${size} bare sessions in one process`;
	return [
		{ what: `${what}: time / ideal`, value: ratio, shown: times(ratio) },
		{ what: `${what}: memory a session`, value: perRun, shown: `${(perRun / 2 ** 20).toFixed(2)} MB` },
	];
}

async function inBackground(size: number): Promise<Measured[]> {
	progress(`${size} in the background`);
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
	const prompted = performance.now();
	await parent.rpc.prompt("Go.");
	let announced = 0;
	await parent.rpc.waitForEvent(
		(event) => {
			if (event.type === "message_end" && JSON.stringify(event).includes('"announceId"')) announced++;
			return announced >= size;
		},
		{ timeoutMs: 300_000 },
	);
	const told = performance.now();
	const [asked, ...others] = parent.model.requests;
	if (asked?.endedAt === undefined) throw new Error("The parent's model was not asked.");
	const ratio = (told - asked.endedAt) / modelMs;
	const lastStart = Math.max(...others.filter(({ isChild }) => isChild).map(({ startedAt }) => startedAt));
	progress(
		`asked after ${Math.round(asked.endedAt - prompted)} ms, last child at its model ${Math.round(lastStart - asked.endedAt)} ms later, all announced ${Math.round(told - asked.endedAt)} ms later`,
	);
	const perRun = (memory.stop() - idle) / size;
	// What the loop's delay was is written when the parent has come to rest.
	await parent.rpc
		.waitForEvent((event) => event.type === "agent_settled", { from: parent.rpc.events.length - 1 })
		.catch(() => progress("the parent did not come to rest in time"));
	await parent.close();
	const loopMs = Number(readFileSync(file, "utf8"));
	return [
		{
			what: `${size} in the background, 5 s model: time until all are announced / ideal`,
			value: ratio,
			shown: times(ratio),
		},
		{
			what: `${size} in the background: memory a run`,
			value: perRun,
			shown: `${(perRun / 2 ** 20).toFixed(2)} MB`,
			goal: { atMost: 0.5 * 2 ** 20, shown: "at most 0.5 MB" },
		},
		{
			what: `${size} in the background: event-loop delay of the parent, p99`,
			value: loopMs,
			shown: `${loopMs.toFixed(1)} ms`,
			goal: { atMost: 50, shown: "under 50 ms" },
		},
	];
}
