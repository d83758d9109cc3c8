/**
 * The attack on a pool: real PostgreSQL, ledgers, couriers and porters with scripted children, while processes are killed and
 * suspended, networks are cut, silent and slow, and disks are full. Then every promise is checked. See docs/reliability.md.
 *
 *   node bench/pool-faults.ts [--runs 1000] [--faults 500] [--seed 1] [--every 600] [--kinds "worker killed,disk full"]
 *                             [--keep] [--evidence FILE, with the faults and what happened in the database]
 *   node bench/pool-faults.ts --mutations        tries whether the checker finds five deliberate bugs
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { attackPool, type PoolAttack, type PoolAttackResult, removeFolder } from "../test/pool/faults/attack.ts";
import type { FaultKind } from "../test/pool/faults/fault-kinds.ts";
import { attackFor } from "../test/pool/faults/mutation-attacks.ts";
import { POOL_MUTATIONS } from "../test/pool/faults/mutations.ts";
import { isLate, isLong, type Takeover, takeoversOf, takeoverTimes } from "../test/pool/faults/takeovers.ts";

const { values } = parseArgs({
	options: {
		runs: { type: "string", default: "1000" },
		faults: { type: "string", default: "500" },
		seed: { type: "string", default: "1" },
		every: { type: "string", default: "600" },
		kinds: { type: "string" },
		mutations: { type: "boolean", default: false },
		only: { type: "string" },
		evidence: { type: "string" },
		keep: { type: "boolean", default: false },
	},
});
const say = (line: string) => process.stderr.write(`${line}\n`);

if (values.mutations) await tryMutations();
else {
	const result = await attackPool({
		runs: Number(values.runs),
		faults: Number(values.faults),
		seed: Number(values.seed),
		everyMs: Number(values.every),
		...(values.kinds !== undefined && { kinds: values.kinds.split(",") as FaultKind[] }),
		say,
	});
	report(result);
	if (values.evidence)
		writeFileSync(values.evidence, JSON.stringify({ faults: result.faults, database: result.evidence.database }));
	const changedHands = takeoversOf(result.evidence.database, result.faults);
	const late = changedHands.filter(isLate);
	for (const one of changedHands.filter(isLong)) say(`${isLate(one) ? "late" : "met two faults"}: ${waitOf(one)}`);
	process.exitCode = result.violations.length + late.length > 0 ? 1 : 0;
}
// The package that brings PostgreSQL ends the process with 0 by itself.
process.exit();

async function tryMutations(): Promise<void> {
	for (const { name, breaks } of POOL_MUTATIONS.filter(
		(one) => values.only === undefined || one.name === values.only,
	)) {
		const attack: PoolAttack = { ...attackFor(name), mutation: name };
		const { violations, tookMs, folder } = await attackPool(attack);
		const isFound = violations.some(({ promise }) => promise === breaks);
		say(`${isFound ? "found" : "NOT FOUND"}: ${name} (${Math.round(tookMs / 1000)} s)`);
		for (const { promise, because } of violations.slice(0, 5)) say(`  ${promise}: ${because}`);
		if (!isFound) process.exitCode = 1;
		if (!values.keep) removeFolder(folder);
	}
}

function waitOf({ job, kind, freeMs, takenMs, openMs, second }: Takeover): string {
	const s = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
	const next = second ? `, the last of which was "${second.kind}" of ${second.machine} after ${s(second.afterMs)}` : "";
	return `${job} was free ${s(freeMs)} and taken ${s(takenMs ?? 0)} after "${kind}". Meanwhile a worker had a place for ${s(openMs)}${next}`;
}

function report({ evidence, faults, violations, tookMs, folder }: PoolAttackResult): void {
	const { runs, database, messages, calls } = evidence;
	const count = <T>(items: readonly T[], of: (item: T) => string) =>
		Object.fromEntries([...Map.groupBy(items, of)].map(([key, some]) => [key, some.length]));
	const changedHands = takeoversOf(database, faults);
	console.log(
		JSON.stringify(
			{
				runs: runs.length,
				faults: faults.length,
				seconds: Math.round(tookMs / 1000),
				byKind: count(faults, ({ kind }) => kind),
				faultsThatMetRuns: faults.filter(({ met }) => met > 0).length,
				runsMet: faults.reduce((sum, { met }) => sum + met, 0),
				endings: count(runs, ({ outcome }) => outcome?.cause ?? "none"),
				jobsTakenOver: new Set(database.claims.filter(({ attempt }) => attempt > 0).map(({ job }) => job)).size,
				takeovers: database.claims.filter(({ attempt }) => attempt > 0).length,
				afterFaults: takeoverTimes(changedHands),
				messages: messages.length,
				steps: calls.filter(({ what }) => what === "step").length,
				violations: violations.length,
				byPromise: count(violations, ({ promise }) => promise),
			},
			null,
			1,
		),
	);
	for (const { promise, because } of violations.slice(0, 30)) say(`  ${promise}: ${because}`);
	if (violations.length > 0 || values.keep) say(`left in ${folder}`);
	else removeFolder(folder);
}
