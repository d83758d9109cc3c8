import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { LeftToLong } from "./test/helpers/left-to-long.ts";
import { LongestFirst } from "./test/helpers/longest-first.ts";
import { PATIENCE_MS } from "./test/helpers/patience.ts";
import { isShare } from "./test/helpers/share.ts";

// What Node has compiled once it need not compile in each process: pi is most of what a test loads.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, ".cache", "node-compile-cache");

/** The attack uses both cores by itself. The ratios measure them, and the others are about a time that is promised. */
const ALONE = [
	"test/faults/faults.test.ts",
	"test/pool/faults/faults.test.ts",
	"test/pool/faults/mutations.test.ts",
	"test/bench/*.test.ts",
	"test/e2e/escape.test.ts",
	"test/security/longest-result.test.ts",
];

/** The tests of runs once more, with a worker of a pool that does all of them: only where all tests are run. */
const THROUGH_POOL = "test/pool/through/*.test.ts";
const throughPools = (isShare ? [] : ["0.87.1", "1.5.0"]).map((version) => ({
	extends: true as const,
	test: {
		name: `through a pool, pi ${version}`,
		include: [THROUGH_POOL],
		isolate: false,
		env: { PI_GEON_TEST_THROUGH_POOL: version },
		globalSetup: ["test/helpers/global-setup.ts", "test/helpers/pool-server.ts"],
		sequence: { groupOrder: 2 },
	},
}));

/** Files share a process: to load what they import costs more than most of them. One that changes its process has its own. */
const CHANGES_ITS_PROCESS =
	/\bvi\.(?!waitFor\b)|process\.(chdir|on|umask|getActiveResourcesInfo)\b|process\.env\.\w+ =/;
const OWN_PROCESS = globSync("test/**/*.test.ts").filter((file) =>
	CHANGES_ITS_PROCESS.test(readFileSync(file, "utf8")),
);

export default defineConfig({
	test: {
		reporters: ["default", new LeftToLong()],
		globalSetup: ["test/helpers/global-setup.ts"],
		// Longer than the longest waits in it, which say what they waited for. Only a failure takes so long.
		testTimeout: 3 * PATIENCE_MS,
		hookTimeout: 3 * PATIENCE_MS,
		expect: { poll: { timeout: PATIENCE_MS } },
		// What did not happen the first time did not happen.
		retry: 0,
		// On two cores: every end-to-end test starts several pi processes of its own, and waits for them, for the disk and for
		// timers a part of the time.
		maxWorkers: 6,
		sequence: { sequencer: LongestFirst },
		projects: [
			{
				extends: true,
				test: { name: "own process", include: OWN_PROCESS },
			},
			{
				extends: true,
				test: {
					name: "shared process",
					include: ["test/**/*.test.ts"],
					exclude: [...configDefaults.exclude, ...ALONE, ...OWN_PROCESS, THROUGH_POOL],
					isolate: false,
				},
			},
			{
				extends: true,
				test: { name: "alone", include: ALONE, fileParallelism: false, sequence: { groupOrder: 1 } },
			},
			...throughPools,
		],
	},
});
