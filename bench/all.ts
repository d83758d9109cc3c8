/**
 * Every measurement, one after the other, and the whole table of goals at the end: `npm run bench`.
 *
 *   --only round-trip,growth   some of them
 *   --short                    fewer rounds and smaller sizes, to see that it works
 *   --record                   also writes what `test/bench/ratios.test.ts` compares with
 *   --json                     the data instead of tables
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { stagePackage } from "../test/helpers/staged-package.ts";
import { median } from "./figures.ts";
import { type Ratios, RECORDED_FILE, ratiosOfNow } from "./ratios.ts";
import { printTable, progress, type Report } from "./report.ts";

const { values } = parseArgs({
	options: {
		only: { type: "string" },
		short: { type: "boolean" },
		record: { type: "boolean" },
		json: { type: "boolean" },
	},
});

/** Each a program of its own, so that none is measured in what another left behind. */
const PARTS: Record<string, { short: string[] }> = {
	"round-trip": { short: ["--rounds", "5", "--starts", "2"] },
	"fan-out": { short: ["--sizes", "1,32", "--background", "100"] },
	"start-up": { short: ["--rounds", "3", "--runs", "1000"] },
	growth: { short: ["--rounds", "50"] },
	resume: { short: ["--rounds", "3"] },
	fork: { short: ["--rounds", "3"] },
	conversions: { short: ["--rounds", "10"] },
	rings: { short: ["--rounds", "5", "--starts", "2"] },
	trees: { short: ["--rounds", "2", "--files", "1000"] },
};

const wanted = values.only?.split(",") ?? Object.keys(PARTS);
const reports: Report[] = [];
for (const [name, { short }] of Object.entries(PARTS)) {
	if (wanted.includes(name)) reports.push(await run(name, values.short ? short : []));
}
if (values.record) await record();
if (values.json) console.log(JSON.stringify(reports));
else for (const report of reports) printTable(report);

async function run(name: string, options: string[]): Promise<Report> {
	progress(name);
	const program = join(import.meta.dirname, `${name}.ts`);
	const child = spawn(process.execPath, [program, "--json", ...options], { stdio: ["ignore", "pipe", "inherit"] });
	const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
	if (code !== 0) throw new Error(`bench/${name}.ts ended with ${code}.`);
	return JSON.parse(output) as Report;
}

async function record(): Promise<void> {
	progress("the ratios that a test holds us to");
	const staged = stagePackage();
	const taken: Ratios[] = [];
	try {
		for (let time = 0; time < 3; time++) taken.push(await ratiosOfNow(staged.path));
	} finally {
		staged.remove();
	}
	const names = Object.keys(taken[0] ?? {}) as (keyof Ratios)[];
	const ratios = Object.fromEntries(
		names.map((name) => [name, Number(median(taken.map((ratios) => ratios[name])).toFixed(2))]),
	);
	writeFileSync(RECORDED_FILE, `${JSON.stringify(ratios, null, "\t")}\n`);
}
