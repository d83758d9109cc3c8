#!/usr/bin/env node
// Unpacks pi 1.5.0 into .cache/ so that the tests run on it too. It is not a dev dependency because not every registry has
// all of its dependencies; its bundle needs two of them: jiti, which loads extensions, and quickjs-wasi, which runs scripts.
import { cpSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cachedFile, fetchPackage } from "./fetch-package.mjs";

const VERSION = "1.5.0";
const NEEDED = ["jiti", "quickjs-wasi"];
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PI = {
	spec: `@earendil-works/pi-coding-agent@${VERSION}`,
	name: `pi-${VERSION}`,
	file: join("dist", "bundle", "cli.js"),
	size: "8 MB",
	why: "which the tests run on besides the installed pi",
	complete: (folder) => {
		for (const name of NEEDED) {
			const copy = join(folder, "node_modules", name);
			if (!existsSync(copy)) cpSync(join(root, "node_modules", name), copy, { recursive: true });
		}
	},
};

/** Where the command line of pi 1.5.0 is, or will be once fetched. */
export const pi15Path = () => cachedFile(PI);

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	try {
		console.log(await fetchPackage(PI));
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
	}
}
