import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { RingedFiles } from "../../src/sandbox/ringed-files.ts";
import { said, useRing } from "./a-ring.ts";
import { newScratch } from "./trials.ts";
import { SECRET } from "./world.ts";

const openRing = useRing();
const folders: string[] = [];
afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Points `way` at one place and at the other in turns, until a file `stop` appears. */
const swapping = (one: string, other: string): string =>
	`python3 -c '
import os
n = 0
while not os.path.exists("stop"):
  for target in ("${one}", "${other}"):
    os.symlink(target, "next"); os.replace("next", "way"); n += 1
print(n)'`;

/** Enough of both answers that the link was seen in either place, and in between. */
const ENOUGH = 25;

async function raced(
	places: { one: string; other: string; hidden?: string[] },
	attempt: (files: RingedFiles, tree: string) => Promise<string>,
) {
	const { ring, tree } = await openRing(places.hidden ? { hidden: places.hidden } : {});
	// In the tree: where the checkout of this project is in /tmp, a ring shows nothing else of that.
	mkdirSync(join(tree, "notes"));
	writeFileSync(join(tree, "notes", "file"), "for all\n");
	const files = new RingedFiles(() => ring);
	const swapper = said(ring, swapping(places.one, places.other));
	let isSwapping = true;
	swapper.finally(() => {
		isSwapping = false;
	});
	const answers: string[] = [];
	const refusals: string[] = [];
	try {
		while (isSwapping && (answers.length < ENOUGH || refusals.length < ENOUGH)) {
			await attempt(files, tree).then(
				(answer) => answers.push(answer),
				(error: Error) => refusals.push(error.message),
			);
		}
	} finally {
		writeFileSync(join(tree, "stop"), "");
	}
	expect(await swapper).toMatchObject({ exitCode: 0 });
	expect(Math.min(answers.length, refusals.length)).toBeGreaterThanOrEqual(ENOUGH);
	return { answers, refusals };
}

function keyAndNote() {
	const folder = newScratch();
	folders.push(folder);
	const [keys, notes] = [join(folder, "keys"), join(folder, "notes")];
	for (const each of [keys, notes]) mkdirSync(each);
	writeFileSync(join(keys, "file"), SECRET);
	writeFileSync(join(notes, "file"), "for all\n");
	return { keys, notes };
}

describe("a link that a command changes all the time", () => {
	test("never leads to a hidden file that is read", async () => {
		const { keys } = keyAndNote();
		const places = { one: "notes/file", other: join(keys, "file"), hidden: [keys] };
		const { answers, refusals } = await raced(places, async (files, tree) =>
			(await files.read(join(tree, "way"))).toString(),
		);
		expect(new Set(answers)).toEqual(new Set(["for all\n"]));
		expect(refusals.filter((why) => !/hidden|ENOENT/.test(why))).toEqual([]);
	});

	test("never leads into a hidden folder that is read, described or listed", async () => {
		const { keys } = keyAndNote();
		writeFileSync(join(keys, "secret-name"), "");
		const { answers } = await raced({ one: "notes", other: keys, hidden: [keys] }, async (files, tree) => {
			const way = join(tree, "way");
			const found = await files.read(join(way, "file"));
			const described = await files.describe(join(way, "file"), async (path) => readFileSync(path, "utf8"));
			return [found, described, await files.list(way)].join(" ");
		});
		expect(new Set(answers)).toEqual(new Set(["for all\n for all\n file"]));
	});

	test("never leads to a file outside that is written", async () => {
		const { notes } = keyAndNote();
		await raced({ one: "own", other: join(notes, "file") }, async (files, tree) => {
			await files.write(join(tree, "way"), "by the child\n");
			return "written";
		});
		expect(readFileSync(join(notes, "file"), "utf8")).toBe("for all\n");
	});
});
