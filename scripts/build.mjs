// Bundles the extension, the host's extension and the public exports into dist/, and writes their types.
// pi's own packages stay outside: inside pi they are pi's.
import { spawnSync } from "node:child_process";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function loadEsbuild() {
	try {
		return await import("esbuild");
	} catch (error) {
		// `npm install --omit=dev` runs "prepare" too, where there is nothing to build with and nothing to build for.
		if (error.code === "ERR_MODULE_NOT_FOUND" && process.argv.includes("--when-possible")) return undefined;
		throw error;
	}
}

const esbuild = await loadEsbuild();
if (!esbuild) process.exit(0);

// Built aside and put in place at the end: a pi that starts meanwhile finds the old one whole, or the new one.
const outdir = join(root, ".cache", `dist-${process.pid}`);
const common = {
	absWorkingDir: root,
	outdir,
	bundle: true,
	splitting: true,
	format: "esm",
	platform: "node",
	target: "node22.19",
	mainFields: ["module", "main"],
	chunkNames: "chunks/[name]-[hash]",
	legalComments: "linked",
	logLevel: "warning",
};
// Its ES module build; the other one requires Node's `process` in a way that a bundled module cannot.
const alias = { yaml: join(root, "node_modules", "yaml", "browser", "index.js") };
const external = ["@earendil-works/*", "typebox", "typebox/*", "bun:sqlite"];
await esbuild.build({
	...common,
	entryPoints: {
		extension: "src/pi/extension.ts",
		host: "src/host/extension.ts",
		lsp: "src/lsp/extension.ts",
		web: "src/web/extension.ts",
		index: "src/index.ts",
		// Entries of their own, so that they become files which need nothing of pi's. pi's loader imports such a file as
		// it is, and transpiles every other, which takes a second for these two.
		yaml: "yaml",
		json5: "json5",
	},
	alias,
	external,
});
// The command, which runs outside of pi: a bundle of its own, without anything of pi's. typebox is in it: there is no pi to have it from.
await esbuild.build({
	...common,
	entryPoints: { cli: "src/cli/main.ts" },
	alias,
	minify: true,
	external: ["@earendil-works/*", "bun:sqlite"],
});
chmodSync(join(outdir, "cli.js"), 0o755);
// The thread that converts documents. Node loads it, not pi's loader, so that it may be as large as its libraries are.
await esbuild.build({
	...common,
	entryPoints: { "web-convert": "src/web/convert/worker.ts" },
	minify: true,
	// Otherwise there would be two of it: one of its users asks for the CommonJS build.
	alias: { linkedom: join(root, "node_modules", "linkedom", "esm", "index.js") },
});

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const types = spawnSync(
	process.execPath,
	[tsc, "-p", join(root, "tsconfig.types.json"), "--outDir", join(outdir, "types")],
	{ stdio: "inherit" },
);
if (types.status === 0) {
	rmSync(join(root, "dist"), { recursive: true, force: true });
	renameSync(outdir, join(root, "dist"));
} else {
	rmSync(outdir, { recursive: true, force: true });
	process.exitCode = 1;
}
