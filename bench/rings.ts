/**
 * What rings cost: the same delegations with `subagents.sandbox.mode` at `auto` and at `off`, in turns. A run without a tool
 * call, one that searches, one that runs a command and one that runs four, in a host that is warm; and how long a host takes
 * from its start until it is ready, once what it needs is compiled. And how long a process that hides is there after its run.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { agentNamed } from "../test/helpers/agent-file.ts";
import { hostPids, killHosts } from "../test/helpers/hosts.ts";
import type { Script } from "../test/helpers/model.ts";
import { toolCall } from "../test/helpers/model-steps.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { finalize } from "./contenders.ts";
import { median, ms, times } from "./figures.ts";
import { goneAfter } from "./kills.ts";
import { type Parent, startParent } from "./parent.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "30" },
		starts: { type: "string", default: "10" },
		json: { type: "boolean" },
	},
});
const rounds = Number(values.rounds);
const starts = Number(values.starts);
const staged = stagePackage();

const searches: Script = ({ toolResults }) =>
	toolResults.length === 0 ? toolCall("grep", { pattern: "nothing" }) : finalize;

/** Without the ring nobody may write, so both have to be allowed to: the ring is that of a run in the checkout. */
const command: Script = ({ toolResults }) =>
	toolResults.length < 1 ? toolCall("bash", { command: "true" }) : finalize;

const SEVERAL = 4;
const commands: Script = ({ toolResults }) =>
	toolResults.length < SEVERAL ? toolCall("bash", { command: "true" }) : finalize;
const writes = (child: Script): boolean => child === command || child === commands;

const open = (mode: "auto" | "off", child: Script, idleMs: number): Promise<Parent> =>
	startParent({
		extension: staged.path,
		agents: {
			"looker.md": agentNamed("looker", "You look.", writes(child) ? "tools: bash" : "tools: read, grep, ls"),
		},
		config: { subagents: { sandbox: { mode }, allowWrite: writes(child) } },
		files: { "README.md": "Some words.\n" },
		// As it is for users: in pi-geon's own folder.
		env: { PI_GEON_HOST_IDLE_MS: String(idleMs), NODE_COMPILE_CACHE: "" },
		calls: toolCall("subagent", { agent: "looker", task: "Look." }),
		child,
	});

type Figures = Record<"auto" | "off", number[]>;
const none = (): Figures => ({ auto: [], off: [] });
const MODES = ["auto", "off"] as const;

async function warm(what: string, child: Script): Promise<Figures> {
	const taken = none();
	const parents = { auto: await open("auto", child, 60_000), off: await open("off", child, 60_000) };
	try {
		for (const mode of MODES) await compileAhead(parents[mode]);
		for (let round = -3; round < rounds; round++) {
			progress(`${what}, round ${round + 1} of ${rounds}`);
			// By turns the first: what else the machine does meets both.
			for (const mode of round % 2 === 0 ? MODES : [...MODES].reverse()) {
				const took = await parents[mode].roundTrip();
				if (round >= 0) taken[mode].push(took);
			}
		}
		return taken;
	} finally {
		for (const mode of MODES) await parents[mode].close();
	}
}

/**
 * Hosts in a ring keep what they compiled apart, and Node writes it down when a process ends. Without this, a first host of a
 * new home would be measured, which compiles all of it by itself, against one that finds what its parent has compiled.
 */
async function compileAhead({ home, roundTrip }: Parent): Promise<void> {
	for (let start = 0; start < 2; start++) {
		await roundTrip();
		killHosts(home, "SIGTERM");
		while (hostPids(home).length > 0) await pause(20);
	}
}

async function hostStarts(): Promise<Figures> {
	const taken = none();
	const parents = { auto: await open("auto", () => finalize, 100), off: await open("off", () => finalize, 100) };
	try {
		// Node writes down what it compiled when a process ends: the first two starts have not found all of it.
		for (let round = -2; round < starts; round++) {
			progress(`start of a host, round ${round + 1} of ${starts}`);
			for (const mode of MODES) {
				const { home } = parents[mode];
				const began = Date.now();
				await parents[mode].roundTrip();
				if (round >= 0) taken[mode].push(startOf(home.agentDir, began));
				while (hostPids(home).length > 0) await pause(20);
			}
		}
		return taken;
	} finally {
		for (const mode of MODES) await parents[mode].close();
	}
}

/** From the logs: when the parent started a host, and when that was ready. */
function startOf(agentDir: string, since: number): number {
	const state = join(agentDir, "pi-geon");
	const hosts = readdirSync(join(state, "hosts")).filter((name) => name.endsWith(".log"));
	const times = (file: string, message: string) =>
		readFileSync(file, "utf8")
			.split("\n")
			.filter((line) => line.includes(`"${message}"`))
			.map((line) => Date.parse((JSON.parse(line) as { time: string }).time))
			.filter((at) => at >= since);
	const [started = Number.NaN] = times(join(state, "parent.log"), "starting a host");
	const [ready = Number.NaN] = hosts.flatMap((name) => times(join(state, "hosts", name), "ready"));
	return ready - started;
}

/** What one call costs more, where there are several: the ring is opened once for a run. */
function moreIn({ auto, off }: Figures): Measured {
	const more = (median(auto) - median(off)) / SEVERAL;
	return {
		what: `each of ${SEVERAL} bash calls, more in rings`,
		value: more,
		shown: ms(more),
		goal: { atMost: 15, shown: "at most 15 ms" },
	};
}

function rows(what: string, { auto, off }: Figures, atMost?: number): Measured[] {
	const [ringed, free] = [median(auto), median(off)];
	const goal = atMost === undefined ? {} : { goal: { atMost, shown: `at most ${atMost} ×` } };
	return [
		{ what: `${what}, in rings`, value: ringed, shown: ms(ringed) },
		{ what: `${what}, mode off`, value: free, shown: ms(free) },
		{ what: `${what}, in rings / off`, value: ringed / free, shown: times(ringed / free), ...goal },
	];
}

try {
	const idle = await warm("a run without a tool call", () => finalize);
	const search = await warm("a run with one grep", searches);
	const one = await warm("a run with one bash call", command);
	const several = await warm(`a run with ${SEVERAL} bash calls`, commands);
	const start = await hostStarts();
	const gone = await goneAfter(staged.path, starts);
	report(`Rings, median of ${rounds} (starts: of ${starts})`, [
		...rows("a run without a tool call", idle, 1.05),
		...rows("a run with one grep", search),
		...rows("a run with one bash call", one),
		...rows(`a run with ${SEVERAL} bash calls`, several),
		moreIn(several),
		...rows("start of a host", start),
		...gone,
	]);
} finally {
	staged.remove();
}
