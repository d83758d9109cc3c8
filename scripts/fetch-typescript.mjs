#!/usr/bin/env node
// Unpacks TypeScript 5 into .cache/, which typescript-language-server is tested with. As a dev dependency under another name
// it would take the command `tsc` from TypeScript 7.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cachedFile, fetchPackage } from "./fetch-package.mjs";

const VERSION = "5.9.3";

const TYPESCRIPT = {
	spec: `typescript@${VERSION}`,
	name: `typescript-${VERSION}`,
	file: join("lib", "tsserver.js"),
	size: "4 MB",
	why: "which typescript-language-server is tested with",
};

/** The tsserver of TypeScript 5, there or once fetched. */
export const tsserverPath = () => cachedFile(TYPESCRIPT);

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	try {
		console.log(await fetchPackage(TYPESCRIPT));
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
	}
}
