/** Whether the ledger gets slower with its history: the same operations at 100, 10,000 and 100,000 runs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, times } from "./figures.ts";
import { lifeCosts } from "./ledger-life.ts";
import { type Measured, progress, report } from "./report.ts";

const { values } = parseArgs({
	options: { rounds: { type: "string", default: "400" }, json: { type: "boolean" } },
});
const dir = mkdtempSync(join(tmpdir(), "pi-geon-growth-"));
try {
	progress("ledgers of 100, 10,000 and 100,000 runs");
	const [small = {}, , large = {}] = await lifeCosts({
		dir,
		sizes: [100, 10_000, 100_000],
		rounds: Number(values.rounds),
	});
	const rows: Measured[] = Object.keys(small).map((name) => {
		const ratio = median(large[name] ?? []) / median(small[name] ?? []);
		return {
			what: `${name}: 100,000 runs / 100 runs`,
			value: ratio,
			shown: times(ratio),
			goal: { atMost: 1.5, shown: "at most 1.5 ×" },
		};
	});
	report(`Growth of the ledger's costs, median of ${values.rounds}`, rows);
} finally {
	rmSync(dir, { recursive: true, force: true });
}
