import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../helpers/repository.ts";

/** What stands behind a port, or is done before a loop begins or after it has finished. */
const AROUND_THE_LOOPS = [
	// Opening a ledger, and keeping a damaged one.
	"ledger/ledger.ts",
	"ledger/set-aside.ts",
	// The system's processes.
	"processes/host-process.ts",
	"supervise/provider-files.ts",
	"supervise/start-host.ts",
	// What a host does before its first run, and how its process ends.
	"host/extension.ts",
	"host/warm-up.ts",
];

const CLOCKS = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bset(Timeout|Interval)\(/;

test("decisions and loops have no clock of their own, so that the simulator can be theirs", () => {
	const src = join(repositoryRoot, "src");
	const files = globSync("{ledger,deliver,supervise,host,processes}/**/*.ts", { cwd: src });
	const withClock = files.filter((file) => CLOCKS.test(readFileSync(join(src, file), "utf8")));
	expect(withClock.sort()).toEqual(AROUND_THE_LOOPS.toSorted());
});
