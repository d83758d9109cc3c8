/**
 * What one delegation costs beside the model, which answers at once: from the parent model's tool call to the request
 * that carries the result. Side by side: pi-geon, a bare session in the parent's own process, pi's example extension
 * with a process for each run, a tool that does nothing, and any other extension (`--extension <path> --call '{"name": …, "arguments": …}'`).
 */
import { parseArgs } from "node:util";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { bareSessions, emptyTool, otherExtension, piExample, piGeon } from "./contenders.ts";
import { median, ms, times } from "./figures.ts";
import type { Parent } from "./parent.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "15" },
		starts: { type: "string", default: "5" },
		extension: { type: "string" },
		call: { type: "string" },
		json: { type: "boolean" },
	},
});
const rounds = Number(values.rounds);
const starts = Number(values.starts);
const staged = stagePackage();
const { extension, call } = values;

const contenders: Record<string, () => Promise<Parent>> = {
	"pi-geon": () => piGeon(staged.path),
	"bare session": () => bareSessions(1),
	"a tool that does nothing": () => emptyTool(),
	"pi's example": () => piExample(),
	...(extension !== undefined && call !== undefined && { other: () => otherExtension(extension, call) }),
};

const first: Record<string, number[]> = {};
const later: Record<string, number[]> = {};
try {
	// In turns, so that what else the machine does meets all of them alike. The first turn does not count: the first pi
	// after an installation transpiles what the next ones find ready.
	for (let start = -1; start < starts; start++) {
		progress(`first delegation, pi ${start + 2} of ${starts + 1}`);
		for (const [name, open] of Object.entries(contenders)) {
			const parent = await open();
			const took = await parent.roundTrip().finally(() => parent.close());
			if (start >= 0) push(first, name, took);
		}
	}
	const parents = new Map<string, Parent>();
	try {
		for (const [name, open] of Object.entries(contenders)) {
			const parent = await open();
			parents.set(name, parent);
			await parent.roundTrip();
		}
		for (let round = 0; round < rounds; round++) {
			progress(`later delegation, round ${round + 1} of ${rounds}`);
			for (const [name, parent] of parents) push(later, name, await parent.roundTrip());
		}
	} finally {
		for (const parent of parents.values()) await parent.close();
	}
} finally {
	staged.remove();
}

function push(taken: Record<string, number[]>, name: string, took: number): void {
	taken[name] ??= [];
	taken[name].push(took);
}

/** How much longer the first one takes than later ones. */
const cold = (name: string): number => middle(first, name) - middle(later, name);
const middle = (taken: Record<string, number[]>, name: string): number => median(taken[name] ?? []);
const geon = middle(later, "pi-geon");
const ratio = (what: string, value: number, goal?: Measured["goal"]): Measured => ({
	what,
	value,
	shown: times(value),
	...(goal && { goal }),
});
const rows: Measured[] = [
	...Object.keys(contenders).flatMap((name) => [
		{ what: `later, ${name}`, value: middle(later, name), shown: ms(middle(later, name)) },
		{ what: `first, ${name}`, value: middle(first, name), shown: ms(middle(first, name)) },
	]),
	ratio("later, pi-geon / bare session", geon / middle(later, "bare session"), {
		atMost: 2.5,
		shown: "at most 2.5 ×",
	}),
	ratio("later, pi-geon / pi's example", geon / middle(later, "pi's example"), { atMost: 0.15, shown: "under 0.15 ×" }),
	ratio("pi-geon, first / later", middle(first, "pi-geon") / geon, { atMost: 1.3, shown: "at most 1.3 ×" }),
	ratio(
		"limit: first if only pi itself were slower than later / later",
		(geon + cold("a tool that does nothing")) / geon,
	),
	ratio("bare session, first / later", middle(first, "bare session") / middle(later, "bare session")),
	ratio("first, pi-geon / bare session", middle(first, "pi-geon") / middle(first, "bare session")),
];
report(`Round trip of one delegation, instant model, median of ${rounds} (first: of ${starts})`, rows);
