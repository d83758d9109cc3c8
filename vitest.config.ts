import { globSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";

/** The attack, the histories and the ratios use both cores by themselves, or measure them. */
const ALONE = ["test/faults/faults.test.ts", "test/simulation/*.test.ts", "test/bench/*.test.ts"];

/** Tests of functions share a process: a start costs more than most of them. One that changes its process has its own. */
const CHANGES_ITS_PROCESS = /\bvi\.|process\.(env|chdir|on|umask)\b/;
const SHARED = globSync("test/{agents,collect,config,deliver,host,ledger,log,plan,run,supervise}/**/*.test.ts").filter(
	(file) => !CHANGES_ITS_PROCESS.test(readFileSync(file, "utf8")),
);

export default defineConfig({
	test: {
		globalSetup: ["test/helpers/global-setup.ts"],
		// Longer than the longest wait in it, which says what it waited for.
		testTimeout: 90_000,
		hookTimeout: 60_000,
		// What did not happen the first time did not happen.
		retry: 0,
		// On two cores: every end-to-end test starts several pi processes of its own, and waits for them a part of the time.
		maxWorkers: 3,
		projects: [
			{
				extends: true,
				test: {
					name: "beside",
					include: ["test/**/*.test.ts"],
					exclude: [...configDefaults.exclude, ...ALONE, ...SHARED],
				},
			},
			{ extends: true, test: { name: "shared", include: SHARED, isolate: false } },
			{
				extends: true,
				test: { name: "alone", include: ALONE, fileParallelism: false, sequence: { groupOrder: 1 } },
			},
		],
	},
});
