/**
 * What one delegation costs beside the model, which answers at once: from the parent model's tool call to the request
 * that carries the result. Side by side: pi-geon, a bare session in the parent's own process, pi's example extension
 * with a process for each run, and any other extension (`--extension <path> --call '{"name": …, "arguments": …}'`).
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { text, toolCall } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { median, ms, times } from "./figures.ts";
import { type Parent, startParent } from "./parent.ts";
import { type Measured, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "15" },
		extension: { type: "string" },
		call: { type: "string" },
		json: { type: "boolean" },
	},
});
const rounds = Number(values.rounds);
const AGENT = "---\nname: looker\ndescription: looks\ntools: read, grep, find, ls\n---\nYou look.\n";
const pi = join(repositoryRoot, "node_modules/@earendil-works/pi-coding-agent");
const staged = stagePackage();

const contenders: Record<string, () => Promise<Parent>> = {
	"pi-geon": () =>
		startParent({
			extension: staged.path,
			agents: { "looker.md": AGENT },
			env: { PI_GEON_HOST_IDLE_MS: "60000" },
			calls: toolCall("subagent", { agent: "looker", task: "Look." }),
			child: () => toolCall("subagent_finalize", { status: "SUCCESS", result: "Seen." }),
		}),
	"bare session": () =>
		startParent({
			extension: join(repositoryRoot, "bench", "fixtures", "bare-session.ts"),
			calls: toolCall("bare", { task: "Look." }),
			child: () => text("Seen."),
			isChild: ({ tools }) => !tools.includes("bare"),
		}),
	"pi's example": () =>
		startParent({
			extension: join(pi, "examples", "extensions", "subagent", "index.ts"),
			agents: { "looker.md": AGENT },
			calls: toolCall("subagent", { agent: "looker", task: "Look." }),
			child: () => text("Seen."),
		}),
	...(values.extension !== undefined &&
		values.call !== undefined && { other: () => other(values.extension, values.call) }),
};

function other(extension = "", call = "{}"): Promise<Parent> {
	const { name, arguments: args } = JSON.parse(call) as { name: string; arguments: object };
	return startParent({
		extension,
		agents: { "looker.md": AGENT },
		calls: toolCall(name, args),
		child: () => text("Seen."),
		isChild: ({ tools }) => !tools.includes(name),
	});
}

const first: Record<string, number> = {};
const later: Record<string, number[]> = {};
const parents = new Map<string, Parent>();
try {
	for (const [name, start] of Object.entries(contenders)) {
		const parent = await start();
		parents.set(name, parent);
		first[name] = await parent.roundTrip();
		later[name] = [];
	}
	// In turns, so that what else the machine does meets all of them alike.
	for (let round = 0; round < rounds; round++) {
		for (const [name, parent] of parents) later[name]?.push(await parent.roundTrip());
	}
} finally {
	for (const parent of parents.values()) await parent.close();
	staged.remove();
}

const middle = (name: string): number => median(later[name] ?? []);
const geon = middle("pi-geon");
const rows: Measured[] = [
	...Object.keys(contenders).map((name) => ({ what: `later, ${name}`, value: middle(name), shown: ms(middle(name)) })),
	...Object.entries(first).map(([name, value]) => ({ what: `first, ${name}`, value, shown: ms(value) })),
	{
		what: "pi-geon later / bare session",
		value: geon / middle("bare session"),
		shown: times(geon / middle("bare session")),
		goal: { atMost: 2.5, shown: "at most 2.5 ×" },
	},
	{
		what: "pi-geon later / pi's example",
		value: geon / middle("pi's example"),
		shown: times(geon / middle("pi's example")),
		goal: { atMost: 0.15, shown: "under 0.15 ×" },
	},
	{
		what: "pi-geon first / later",
		value: (first["pi-geon"] ?? 0) / geon,
		shown: times((first["pi-geon"] ?? 0) / geon),
		goal: { atMost: 1.3, shown: "at most 1.3 ×" },
	},
];
report(`Round trip of one delegation, instant model, median of ${rounds}`, rows);
