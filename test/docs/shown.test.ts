import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages, replayed, withoutFigures } from "../../scripts/replay.mjs";
import { repositoryRoot } from "../helpers/repository.ts";

test.for(pages)("%s shows what its commands print", async (page) => {
	const written = readFileSync(join(repositoryRoot, page), "utf8");
	expect(withoutFigures(await replayed(page))).toBe(withoutFigures(written));
});
