/**
 * Histories of a pool in virtual time, see docs/reliability.md.
 *
 *   node test/simulation/pool/main.ts [--seeds 1000] [--from 1]
 *   node test/simulation/pool/main.ts --seed 7     prints one
 */
import { parseArgs } from "node:util";
import { mutateIfAsked } from "../../pool/faults/mutations.ts";

const { values } = parseArgs({
	options: {
		seeds: { type: "string", default: "1000" },
		from: { type: "string", default: "1" },
		seed: { type: "string" },
		/** Ends at the first violation. */
		first: { type: "boolean", default: false },
	},
});
mutateIfAsked();
const { simulatePool } = await import("./simulate.ts");

const from = Number(values.seed ?? values.from);
const to = values.seed === undefined ? from + Number(values.seeds) - 1 : from;
const sum = { histories: 0, runs: 0, faults: 0, takeovers: 0, violations: 0 };
for (let seed = from; seed <= to; seed++) {
	const { violations, runs, faults, takeovers, timeline } = await simulatePool(seed, {
		traced: values.seed !== undefined,
	});
	for (const line of timeline ?? []) console.log(line);
	for (const { promise, because } of violations) console.log(JSON.stringify({ seed, promise, because }));
	sum.histories++;
	sum.runs += runs;
	sum.faults += faults;
	sum.takeovers += takeovers;
	sum.violations += violations.length;
	if (values.first && violations.length > 0) break;
}
console.log(JSON.stringify(sum));
process.exitCode = sum.violations > 0 ? 1 : 0;
