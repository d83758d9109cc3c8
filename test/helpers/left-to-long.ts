import type { Reporter, TestModule } from "vitest/node";

/** Says how many tests `npm test` has left out. */
export class LeftToLong implements Reporter {
	onTestRunEnd(modules: readonly TestModule[]): void {
		const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
		const left = skipped.filter(({ options }) => options.mode === "skip" && options.fails).length;
		if (left > 0)
			console.log(
				`${left} tests are left to \`npm run test:long\`, which also tries all versions of pi, and runs on a pool.\n`,
			);
	}
}
