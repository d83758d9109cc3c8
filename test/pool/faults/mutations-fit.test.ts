import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../helpers/repository.ts";
import { POOL_MUTATIONS } from "./mutations.ts";

test("each deliberate bug of the attack fits the code as it is", () => {
	for (const { edits } of POOL_MUTATIONS) {
		for (const { file, from } of edits) {
			expect(readFileSync(join(repositoryRoot, file), "utf8").split(from), `${file}: ${from}`).toHaveLength(2);
		}
	}
});
