import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { repositoryRoot } from "../helpers/repository.ts";

/** The entry as the package has it: bundled, in a folder with no node_modules above it. */
export async function bundleLsp(): Promise<{ folder: string; entry: string }> {
	const folder = mkdtempSync(join(tmpdir(), "pl-"));
	await build({
		absWorkingDir: repositoryRoot,
		entryPoints: { lsp: "src/lsp/extension.ts", json5: "json5" },
		outdir: join(folder, "dist"),
		bundle: true,
		splitting: true,
		format: "esm",
		platform: "node",
		target: "node22.19",
		mainFields: ["module", "main"],
		external: ["@earendil-works/*", "typebox", "typebox/*"],
		chunkNames: "chunks/[name]-[hash]",
		logLevel: "warning",
	});
	cpSync(join(repositoryRoot, "package.json"), join(folder, "package.json"));
	return { folder, entry: join(folder, "dist", "lsp.js") };
}
