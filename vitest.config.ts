import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		globalSetup: ["test/helpers/global-setup.ts"],
		testTimeout: 30_000,
		hookTimeout: 60_000,
		// On two cores: every end-to-end test starts several pi processes of its own, and waits for them a part of the time.
		maxWorkers: 3,
	},
});
