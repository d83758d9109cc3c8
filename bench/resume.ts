/** What it costs to continue a child session, against its length: the same delegation with 10 and with 2,000 messages before it. */
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { toolCall } from "../test/helpers/model-steps.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { finalize } from "./contenders.ts";
import { median, ms, times } from "./figures.ts";
import { type Parent, startParent } from "./parent.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "9" },
		lengths: { type: "string", default: "10,2000" },
		json: { type: "boolean" },
	},
});
const lengths = values.lengths.split(",").map(Number);
const staged = stagePackage();
const took = new Map<number, number[]>(lengths.map((length) => [length, []]));
const parents = new Map<number, Parent>();

try {
	for (const length of lengths) parents.set(length, await withSession(length));
	for (let round = 0; round < Number(values.rounds); round++) {
		progress(`resume ${round + 1} of ${values.rounds}`);
		for (const [length, parent] of parents) took.get(length)?.push(await parent.roundTrip());
	}
} finally {
	for (const parent of parents.values()) await parent.close();
	staged.remove();
}

/** A parent that continues, at each prompt, a child session with so many messages. */
async function withSession(length: number): Promise<Parent> {
	let sessionId: string | undefined;
	const parent = await startParent({
		extension: staged.path,
		env: { PI_GEON_HOST_IDLE_MS: "60000" },
		contextWindow: 10_000_000,
		calls: () => toolCall("subagent", { agent: "explorer", task: "Look.", ...(sessionId && { sessionId }) }),
		child: () => finalize,
	});
	await parent.roundTrip();
	const details = parent.rpc.events.flatMap(({ type, result }) => (type === "tool_execution_end" ? [result] : []));
	const { details: first } = details[0] as { details: { sessionId: string; results: { sessionFile: string }[] } };
	sessionId = first.sessionId;
	lengthen(first.results[0]?.sessionFile ?? "", length);
	await parent.roundTrip(); // Whatever only the first resume costs.
	return parent;
}

/** Appends messages as pi writes them, each of the length of a short answer. */
function lengthen(file: string, messages: number): void {
	const lines = readFileSync(file, "utf8").trim().split("\n");
	const entries = lines.map((line) => JSON.parse(line) as { type: string; id: string; message?: { role: string } });
	const answer = entries.find(({ message }) => message?.role === "assistant");
	let parentId = entries.at(-1)?.id;
	const added = Array.from({ length: messages }, (_, index) => {
		const content = [{ type: "text", text: `${index}. ${"It is there. ".repeat(40)}` }];
		const message =
			index % 2 === 0
				? { role: "user", content, timestamp: Date.now() }
				: { ...answer?.message, content, stopReason: "stop" };
		const entry = { ...answer, id: randomUUID().slice(0, 8), parentId, message };
		parentId = entry.id;
		return `${JSON.stringify(entry)}\n`;
	});
	appendFileSync(file, added.join(""));
}

const middle = (length: number): number => median(took.get(length) ?? []);
const [short = 0, long = 0] = [Math.min(...lengths), Math.max(...lengths)];
const ratio = middle(long) / middle(short);
const rows: Measured[] = [
	...lengths.map((length) => ({
		what: `continue a session of ${length} messages`,
		value: middle(length),
		shown: ms(middle(length)),
	})),
	{ what: `${long} messages / ${short} messages`, value: ratio, shown: times(ratio) },
];
report(`Resume against the length of the session, instant model, median of ${values.rounds}`, rows);
