// Bundles the extension, the host's extension and the public exports into dist/, and writes their types.
// pi's own packages stay outside: inside pi they are pi's.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
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

rmSync(join(root, "dist"), { recursive: true, force: true });
await esbuild.build({
	absWorkingDir: root,
	entryPoints: { extension: "src/pi/extension.ts", host: "src/host/extension.ts", index: "src/index.ts" },
	outdir: "dist",
	bundle: true,
	splitting: true,
	format: "esm",
	platform: "node",
	target: "node22.19",
	// Its ES module build; the other one requires Node's `process` in a way that a bundled module cannot.
	alias: { yaml: join(root, "node_modules", "yaml", "browser", "index.js") },
	mainFields: ["module", "main"],
	external: ["@earendil-works/*", "typebox", "typebox/*", "bun:sqlite"],
	chunkNames: "chunks/[name]-[hash]",
	legalComments: "linked",
	logLevel: "warning",
});

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const types = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.types.json")], { stdio: "inherit" });
process.exit(types.status ?? 1);
