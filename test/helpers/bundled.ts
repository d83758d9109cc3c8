import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";

const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** A program that a file of tests starts often, in one piece: to load it from its many files takes twice as long. */
export function bundled(source: string): string {
	const folder = mkdtempSync(join(tmpdir(), "pg-bundled-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	afterAll(remove);
	// Of a file whose tests are all left out, vitest does not run what is to be done after them.
	process.once("exit", remove);
	const outfile = join(folder, `${basename(source, ".ts")}.mjs`);
	buildSync({
		entryPoints: [source],
		outfile,
		bundle: true,
		platform: "node",
		format: "esm",
		banner: { js: REQUIRE },
		logLevel: "warning",
	});
	return outfile;
}
