import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";

const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * A program that a test file starts often, bundled into one file: loading it from its many files takes twice as long.
 * It is built when a test first asks for its path, because vitest removes nothing after a file whose tests are all
 * skipped.
 */
export function useBundled(source: string): () => string {
	let folder: string | undefined;
	afterAll(() => {
		if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
	});
	return () => {
		const name = `${basename(source, ".ts")}.mjs`;
		if (folder !== undefined) return join(folder, name);
		folder = mkdtempSync(join(tmpdir(), "pg-bundled-"));
		const outfile = join(folder, name);
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
	};
}
