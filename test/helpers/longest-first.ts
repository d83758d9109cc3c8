import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files, so that none of them runs alone at the end. */
const LONGEST = [
	"test/pool/there-and-back",
	"test/simulation/",
	"test/sandbox/escape",
	"test/sandbox/on-pi",
	"test/docs/shown",
	"test/e2e/endings",
	"test/e2e/delegation",
	"test/e2e/full-clears",
	"test/e2e/mcp",
];

/** vitest knows how long files take only after it ran them once, and runs one project after the other. */
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const isLong = ({ moduleId }: TestSpecification): boolean => {
			const file = relative(this.ctx.config.root, moduleId);
			return LONGEST.some((beginning) => file.startsWith(beginning));
		};
		const sorted = await super.sort(files);
		return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
	}
}
