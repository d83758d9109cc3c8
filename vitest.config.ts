import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		globalSetup: ["test/helpers/global-setup.ts"],
		// Longer than the longest wait in it, which says what it waited for.
		testTimeout: 90_000,
		hookTimeout: 60_000,
		// Where a process or a screen did nothing for long, the machine may be to blame: once more, and marked "(retry x1)".
		// What did happen, and was wrong, is wrong at once.
		retry: { count: 1, condition: /^(No such (event|request) within|The screen did not|pi .* did not end within)/ },
		// On two cores: every end-to-end test starts several pi processes of its own, and waits for them a part of the time.
		maxWorkers: 3,
	},
});
