/**
 * Every measurement, one after the other, and the whole table of goals at the end: `npm run bench`.
 *
 *   --only round-trip,growth   some of them
 *   --short                    fewer rounds and smaller sizes, to see that it works
 *   --peers                    pi-geon side by side with other packages, which are installed into a scratch folder
 *   --save                     also keeps what was measured, with the two runs before, and writes docs/performance.md from it
 *   --page                     only that: measures nothing
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
import { machine } from "./machine.ts";
import type { PeersResult } from "./measure-peers.ts";
import { printPeers } from "./peers-table.ts";
import { writePage } from "./performance-page.ts";
import { type Ratios, RECORDED_FILE, ratiosOfNow } from "./ratios.ts";
import { printTable, progress, type Report } from "./report.ts";
import { keepResult, readResults } from "./results.ts";

const { values } = parseArgs({
	options: {
		only: { type: "string" },
		short: { type: "boolean" },
		peers: { type: "boolean" },
		save: { type: "boolean" },
		page: { type: "boolean" },
		record: { type: "boolean" },
		json: { type: "boolean" },
	},
});

/** Each a program of its own, so that none is measured in what another left behind. */
const PARTS: Record<string, { short: string[] }> = {
	"one-shot": { short: ["--rounds", "2"] },
	"round-trip": { short: ["--rounds", "5", "--starts", "2"] },
	"fan-out": { short: ["--sizes", "1,32", "--background", "100"] },
	"start-up": { short: ["--rounds", "3", "--runs", "1000"] },
	growth: { short: ["--rounds", "50"] },
	resume: { short: ["--rounds", "3"] },
	fork: { short: ["--rounds", "3"] },
	conversions: { short: ["--rounds", "10"] },
	recovery: { short: ["--rounds", "1"] },
	rings: { short: ["--rounds", "5", "--starts", "2"] },
	trees: { short: ["--rounds", "2", "--files", "1000"] },
	page: { short: ["--rounds", "3", "--runs", "1000", "--messages", "1000", "--idle", "2"] },
	"page-browser": { short: ["--rounds", "2", "--runs", "1000", "--messages", "1000"] },
};

if (values.peers) await peers();
else if (!values.page) await everything();
if (values.save || values.page) writePage(readResults());

async function everything(): Promise<void> {
	const wanted = values.only?.split(",") ?? Object.keys(PARTS);
	const reports: Report[] = [];
	for (const [name, { short }] of Object.entries(PARTS)) {
		if (wanted.includes(name)) reports.push(await run<Report>(name, values.short ? short : []));
	}
	if (values.record) await record();
	if (values.save) keepResult("bench", { machine: machine(), reports });
	if (values.json) console.log(JSON.stringify(reports));
	else for (const report of reports) printTable(report);
}

async function peers(): Promise<void> {
	const result = await run<PeersResult>("peers", values.short ? ["--rounds", "3", "--starts", "1"] : []);
	if (values.save) keepResult("peers", result);
	if (values.json) console.log(JSON.stringify(result));
	else printPeers(result);
}

async function run<Result>(name: string, options: string[]): Promise<Result> {
	progress(name);
	const program = join(import.meta.dirname, `${name}.ts`);
	const child = spawn(process.execPath, [program, "--json", ...options], { stdio: ["ignore", "pipe", "inherit"] });
	const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
	if (code !== 0) throw new Error(`bench/${name}.ts ended with ${code}.`);
	return JSON.parse(output) as Result;
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
