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
const timings = { bare: [] as number[], idle: [] as number[], empty: [] as number[], full: [] as number[] };
const homes = { bare, idle, empty, full };

try {
	await fillLedger(join(full.agentDir, "pi-geon", "ledger.sqlite"), Number(values.runs));
	for (let round = -1; round < Number(values.rounds); round++) {
		progress(`start ${round + 2} of ${Number(values.rounds) + 1}`);
		for (const name of ["bare", "idle", "empty", "full"] as const) {
			const took = await start(homes[name]);
			if (round >= 0) timings[name].push(took); // The first round fills caches.
		}
	}
} finally {
	for (const home of Object.values(homes)) await cleanup(home);
	await model.close();
	staged.remove();
}

async function start(home: Home): Promise<number> {
	const started = performance.now();
	await runPi(home, ["--mode", "json", ...home.extensionArgs, "-p", "Hi."]);
	return performance.now() - started;
}

const [without, withEmpty, withFull] = [median(timings.bare), median(timings.empty), median(timings.full)];
const withIdle = median(timings.idle);
const promptTax = footprint();
const rows: Measured[] = [
	{ what: "limit: pi -p, without any extension", value: without, shown: ms(without) },
	{ what: "limit: more with an extension that does nothing", value: withIdle - without, shown: ms(withIdle - without) },
	{
		what: "more with it",
		value: withEmpty - without,
		shown: ms(withEmpty - without),
		goal: { atMost: 40, shown: "under 40 ms" },
	},
	{
		what: `more with it and ${values.runs} old runs`,
		value: withFull - without,
		shown: ms(withFull - without),
		goal: { atMost: 40, shown: "under 40 ms" },
	},
	{
		what: "characters of tools and prompt added",
		value: promptTax,
		shown: String(promptTax),
		goal: { atMost: 3900, shown: "under 3,900" },
	},
];
report(`Start-up and prompt, median of ${values.rounds}`, rows);

/** The difference between two requests, as sent: what the model reads because of us. */
function footprint(): number {
	const sizes = model.requests.map(
		({ raw }) => JSON.stringify(raw.tools ?? []).length + JSON.stringify(raw.messages).length,
	);
	return Math.max(...sizes) - Math.min(...sizes);
}
