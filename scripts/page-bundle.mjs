// Bundles the browser's half of the live page: three files that `pi-geon web` serves as they are.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {typeof import("esbuild")} esbuild
 * @param {{ root: string, outdir: string }} places
 */
export async function buildPage(esbuild, { root, outdir }) {
	const source = join(root, "src", "page", "browser");
	mkdirSync(outdir, { recursive: true });
	await esbuild.build({
		absWorkingDir: root,
		outdir,
		entryPoints: [
			{ in: join(source, "main.tsx"), out: "page" },
			{ in: join(source, "page.css"), out: "page" },
		],
		bundle: true,
		minify: true,
		format: "esm",
		platform: "browser",
		target: "es2022",
		jsx: "automatic",
		jsxImportSource: "preact",
		legalComments: "linked",
		logLevel: "warning",
	});
	copyFileSync(join(source, "index.html"), join(outdir, "index.html"));
}
