/**
 * The attack on the promise: workloads of parents, hosts, foreground and background runs, steering, stops and resumes,
 * with processes killed, suspended, cut off and in trouble at their ledger writes, socket messages and session appends, until so many
 * faults have happened. Then every promise is checked. See docs/reliability.md.
 *
 *   node bench/faults.ts --points 2000 [--from 1] [--at-once 3] [--pi 1.5.0] [--json]
 *   node bench/faults.ts --seed 123          one workload again, with everything that happened; its folder is kept
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { attack, attackOnce } from "../test/faults/attack.ts";
import type { LoggedFault } from "../test/faults/fault-log.ts";
import { LEASE_MS } from "../test/faults/plan.ts";
import type { WorkloadResult } from "../test/faults/workload.ts";
import { piVersions, repositoryRoot } from "../test/helpers/repository.ts";
import { stagePackage } from "../test/helpers/staged-package.ts";

const { values } = parseArgs({
	options: {
		points: { type: "string", default: "2000" },
		from: { type: "string", default: "1" },
		seed: { type: "string" },
		"at-once": { type: "string", default: "3" },
		pi: { type: "string", default: "0.87.1" },
		json: { type: "boolean", default: false },
	},
});
const say = (line: string) => process.stderr.write(`${line}\n`);
const pi = piVersions.find((version) => version === values.pi);
if (pi === undefined) throw new Error(`--pi is one of ${piVersions.join(" and ")}, not ${values.pi}.`);
// Only one of them is a dependency. This fetches the other, once.
execFileSync(process.execPath, [join(repositoryRoot, "scripts", "fetch-pi.mjs")], {
	stdio: ["ignore", "ignore", "inherit"],
});
const staged = stagePackage();
const started = performance.now();
const options = { extension: staged.path, keep: true, pi };
const enough = new AbortController();
process.once("SIGINT", () => enough.abort()); // What is under way is finished and reported.
let results: WorkloadResult[];
try {
	results =
		values.seed === undefined
			? await attack({
					...options,
					points: Number(values.points),
					from: Number(values.from),
					atOnce: Number(values["at-once"]),
					enough: enough.signal,
					onResult: progress,
				})
			: [await attackOnce(Number(values.seed), options)];
} finally {
	staged.remove();
}
if (values.seed !== undefined) tellEverything();
report();
process.exitCode = results.some((result) => result.violations.length > 0) ? 1 : 0;

function progress({ seed, evidence, violations, tookMs, kept }: WorkloadResult, faultsSoFar: number): void {
	const verdict = violations.length === 0 ? "kept" : `${violations.length} VIOLATIONS`;
	say(
		`seed ${seed}: ${evidence.faults.length} faults, ${evidence.runs.length} runs, ${seconds(tookMs)}: ${verdict}` +
			` (${faultsSoFar} faults so far, ${seconds(performance.now() - started)})`,
	);
	for (const { promise, because } of violations) say(`  ${promise}: ${because}`);
	if (violations.length > 0) say(`  again: node bench/faults.ts --seed ${seed}   left in ${kept}`);
}

function tellEverything(): void {
	for (const { evidence, kept, violations } of results) {
		for (const { promise, because } of violations) say(`  VIOLATION ${promise}: ${because}`);
		for (const { role, incarnation, point, place, when, kind, forMs, pid } of evidence.faults) {
			say(`  ${role}.${incarnation ?? ""} (${pid}) point ${point ?? "-"}: ${kind} ${when} "${place}" ${forMs ?? ""}`);
		}
		for (const { id, mode, task, state, delivery, attempt, outcome } of evidence.runs) {
			const end = outcome?.status === "success" ? "success" : outcome?.error.reason;
			say(`  run ${id} ${mode} "${task}": ${state}, ${end}, ${delivery}, attempt ${attempt}`);
		}
		if (kept !== undefined) say(`  left in ${kept}`);
	}
}

function report(): void {
	const faults = results.flatMap(({ evidence }) => evidence.faults);
	const runs = results.flatMap(({ evidence }) => evidence.runs);
	const figures = {
		faults: faults.length,
		byKind: countBy(faults, ({ kind, forMs = 0 }) => (kind === "suspend" ? suspension(forMs) : kind)),
		byPlace: countBy(faults, kindOfPlace),
		places: new Set(faults.map(({ place, when }) => `${place} ${when}`)).size,
		byRole: countBy(faults, ({ role }) => (role.startsWith("p") ? "parent" : role)),
		workloads: results.length,
		processes: results.reduce((sum, { evidence }) => sum + evidence.processes.length, 0),
		runs: runs.length,
		recoveries: runs.reduce((sum, { attempt }) => sum + Math.max(0, attempt - 1), 0),
		endings: countBy(runs, ({ outcome }) =>
			outcome === undefined ? "none" : outcome.status === "success" ? "success" : (outcome.error.reason ?? "error"),
		),
		messages: results.reduce((sum, { evidence }) => sum + evidence.messages.length, 0),
		violations: results.reduce((sum, result) => sum + result.violations.length, 0),
		failingSeeds: results.filter((result) => result.violations.length > 0).map(({ seed }) => seed),
		seconds: Math.round((performance.now() - started) / 1000),
	};
	if (values.json) return void console.log(JSON.stringify(figures));
	console.log("\nFault injection");
	for (const [name, value] of Object.entries(figures)) {
		console.log(`  ${name.padEnd(12)} ${typeof value === "object" ? described(value) : value}`);
	}
}

function suspension(forMs: number): string {
	return forMs > LEASE_MS ? "suspend past the lease" : "suspend for a moment";
}

function kindOfPlace({ place, when }: LoggedFault): string {
	if (place.startsWith("append")) return `session append, ${when}`;
	if (place.startsWith("send") || place.startsWith("receive")) return `socket message, ${when}`;
	return place === "everything" ? "everything at once" : `ledger, ${when}`;
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
	return counts;
}

function described(value: object): string {
	if (Array.isArray(value)) return value.join(", ") || "none";
	return Object.entries(value)
		.map(([name, count]) => `${name} ${count}`)
		.join(" · ");
}

function seconds(ms: number): string {
	return `${(ms / 1000).toFixed(0)} s`;
}
