import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { picturesOf, scenes } from "../../scripts/picture.mjs";
import { withoutFigures } from "../../scripts/replay.mjs";
import { wordsOf } from "../../scripts/terminal-svg.mjs";
import { repositoryRoot } from "../helpers/repository.ts";

const images = join(repositoryRoot, "docs", "images");

/** Without what differs each time: figures, the spinner, and where a line was cut because a figure had one digit more. */
const compared = (svg: string): string =>
	withoutFigures(wordsOf(svg))
		.replaceAll(/[\u2800-\u28ff]/g, "")
		.replaceAll(/─+/g, "─")
		.replaceAll(/\s*\S*…/g, "…");

const shown = new Set<string>();

test.for(Object.keys(scenes))(
	"the pictures of the scene %s show what pi shows; scripts/picture.mjs draws them",
	{
		timeout: 180_000,
	},
	async (scene) => {
		for (const [file, svg] of Object.entries(await picturesOf(scene))) {
			shown.add(file);
			expect(compared(readFileSync(join(images, file), "utf8")), file).toBe(compared(svg));
		}
	},
);

/** `npm run bench -- --save` draws it. */
const CHART = "performance.svg";

test("every picture is made by a scene or a bench, and every one is shown in a document", () => {
	const pictures = globSync("*.svg", { cwd: images }).sort();
	expect([...shown, CHART].sort()).toEqual(pictures);
	const documents = globSync(["README.md", "docs/*.md"], { cwd: repositoryRoot });
	const used = documents.flatMap((page) =>
		[...readFileSync(join(repositoryRoot, page), "utf8").matchAll(/!\[[^\]]+\]\(([^)]+\.svg)\)/g)].map(
			([, path = ""]) => basename(path),
		),
	);
	expect(used.sort()).toEqual(pictures);
});
