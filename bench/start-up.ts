/** What having the extension installed costs a pi that starts: time, with an empty and with a full ledger, and prompt. */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { type Home, makeHome } from "../test/helpers/home.ts";
import { cleanup } from "../test/helpers/leaks.ts";
import { startModel } from "../test/helpers/model.ts";
import { text } from "../test/helpers/model-steps.ts";
import { repositoryRoot } from "../test/helpers/repository.ts";
import { runPi } from "../test/helpers/run-pi.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { cpuAtExit } from "./cpu.ts";
import { median, ms } from "./figures.ts";
import { fillLedger } from "./full-ledger.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "31" },
		runs: { type: "string", default: "50000" },
		json: { type: "boolean" },
	},
});
const staged = stagePackage();
const model = await startModel(() => text("Hello."));
const bare = await makeHome({ model, extension: false });
const empty = await makeHome({ model, extension: staged.path });
const full = await makeHome({ model, extension: staged.path });
const idle = await makeHome({ model, extension: join(repositoryRoot, "bench", "fixtures", "no-extension.ts") });
const homes = { bare, idle, empty, full };
type Name = keyof typeof homes;
const names = Object.keys(homes) as Name[];
const rounds: Record<Name, Start>[] = [];
const continued: Record<Name, Start>[] = [];

try {
	await fillLedger(join(full.agentDir, "pi-geon", "ledger.sqlite"), Number(values.runs));
	for (let round = -1; round < Number(values.rounds); round++) {
		progress(`start ${round + 2} of ${Number(values.rounds) + 1}`);
		const started = await startEach(round, []);
		const again = await startEach(round, ["--continue"]);
		if (round < 0) continue; // The first round fills caches.
		rounds.push(started);
		continued.push(again);
	}
} finally {
	for (const home of Object.values(homes)) await cleanup(home);
	await model.close();
	staged.remove();
}

/** Each has its turn at being first: what the machine does beside must not always meet the same one. */
async function startEach(round: number, args: string[]): Promise<Record<Name, Start>> {
	const turn = (round + names.length) % names.length;
	const took: Partial<Record<Name, Start>> = {};
	for (const name of [...names.slice(turn), ...names.slice(0, turn)]) took[name] = await start(homes[name], args);
	return took as Record<Name, Start>;
}

interface Start {
	time: number;
	cpu: number;
}

async function start(home: Home, args: string[]): Promise<Start> {
	const cpu = cpuAtExit(join(home.scratch, "cpu"));
	const started = performance.now();
	await runPi(home, ["--mode", "json", ...home.extensionArgs, ...args, "-p", "Hi."], { env: cpu.env });
	return { time: performance.now() - started, cpu: cpu.read() };
}

/** Compared within each round, since a shared machine is another one a minute later. */
const more = (name: Name, figure: keyof Start, of = rounds): number =>
	median(of.map((round) => round[name][figure] - round.bare[figure]));

const without = median(rounds.map(({ bare: { time } }) => time));
const [withIdle, withEmpty, withFull] = [more("idle", "time"), more("empty", "time"), more("full", "time")];
const promptTax = footprint();
const rows: Measured[] = [
	{ what: "limit: pi -p, without any extension", value: without, shown: ms(without) },
	{ what: "limit: more with an extension that does nothing", value: withIdle, shown: ms(withIdle) },
	{
		what: "more with it",
		value: withEmpty,
		shown: ms(withEmpty),
		goal: { atMost: 40, shown: "under 40 ms" },
	},
	{
		what: `more with it and ${values.runs} old runs`,
		value: withFull,
		shown: ms(withFull),
		goal: { atMost: 40, shown: "under 40 ms" },
	},
	...[
		{ what: "more processor time with it", value: more("empty", "cpu") },
		{ what: `more processor time with it and ${values.runs} old runs`, value: more("full", "cpu") },
		{ what: "more processor time to continue a session with it", value: more("empty", "cpu", continued) },
		{
			what: `more processor time to continue a session with it and ${values.runs} old runs`,
			value: more("full", "cpu", continued),
		},
	].map((row) => ({ ...row, shown: ms(row.value) })),
	{
		what: "characters of tools and prompt added",
		value: promptTax,
		shown: String(promptTax),
		goal: { atMost: 3900, shown: "under 3,900" },
	},
];
report(`Start-up and prompt, median of ${values.rounds}`, rows);

/** The difference between two first requests, as sent: what the model reads because of us. */
function footprint(): number {
	const firsts = model.requests.filter(({ messages }) => messages.every(({ role }) => role !== "assistant"));
	const sizes = firsts.map(({ raw }) => JSON.stringify(raw.tools ?? []).length + JSON.stringify(raw.messages).length);
	return Math.max(...sizes) - Math.min(...sizes);
}
