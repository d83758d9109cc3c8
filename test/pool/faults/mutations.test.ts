import { describe, expect } from "vitest";
import { longTest } from "../../helpers/long-test.ts";
import { attackPool, removeFolder } from "./attack.ts";
import { attackFor } from "./mutation-attacks.ts";
import { POOL_MUTATIONS } from "./mutations.ts";

describe("the checker of the attack finds", () => {
	for (const { name, breaks } of POOL_MUTATIONS) {
		longTest(
			name,
			async () => {
				const { violations, folder } = await attackPool({ ...attackFor(name), mutation: name });
				expect(violations.map(({ promise }) => promise)).toContain(breaks);
				removeFolder(folder);
			},
			300_000,
		);
	}
});
