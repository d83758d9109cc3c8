import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages, replayed, withoutFigures } from "../../scripts/replay.mjs";
import { repositoryRoot } from "../helpers/repository.ts";
import { isShare } from "../helpers/share.ts";

// In `npm test` two of them: one of calls that are waited for, one of runs in the background.
const shown = pages.filter((page) => !isShare || /review-a-diff|background/.test(page));

test.for(shown)("%s shows what its commands print", async (page) => {
	const written = readFileSync(join(repositoryRoot, page), "utf8");
	expect(withoutFigures(await replayed(page))).toBe(withoutFigures(written));
});
