import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Home } from "../helpers/home.ts";
import { piVersions, promptPi } from "../helpers/pi.ts";
import { type PiVersion, stagedPackage } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();
const preload = join(dirname(fileURLToPath(import.meta.url)), "..", "helpers", "loaded-at-exit.cjs");

/** The files of the package that Node loads in a pi with this prompt. */
async function loadedIn(home: Home, version: PiVersion): Promise<string[]> {
	const file = join(home.scratch, "loaded");
	const env = { NODE_OPTIONS: `--require=${preload}`, LOADED_FILE: file };
	const run = await promptPi(home, "Hi.", { version, env });
	expect(run.stderr).toBe("");
	const loaded = readFileSync(file, "utf8")
		.split("\n")
		.filter((url) => url.startsWith("file:"));
	const inPackage = loaded.map((url) => relative(stagedPackage(), fileURLToPath(url)));
	return [...new Set(inPackage)].filter((path) => !path.startsWith("..")).sort();
}

describe.each(piVersions)("on pi %s", (version) => {
	test("a start that delegates nothing loads the entries and one file more", async () => {
		const home = await openHome({ script: () => "Hello." });
		const loaded = await loadedIn(home, version);
		expect(loaded).toEqual([
			expect.stringMatching(/^dist\/chunks\/chunk-\w+\.js$/),
			...["dist/extension.js", "dist/lsp.js", "dist/web.js"],
		]);
	});

	test("each entry can be loaded without the others", async () => {
		for (const entry of ["extension", "lsp", "web"]) {
			const home = await openHome({
				extension: join(stagedPackage(), "dist", `${entry}.js`),
				script: () => "Hello.",
			});
			const loaded = await loadedIn(home, version);
			expect(loaded.filter((path) => dirname(path) === "dist" && path !== "dist/pi-modules.js")).toEqual([
				`dist/${entry}.js`,
			]);
		}
	});
});
