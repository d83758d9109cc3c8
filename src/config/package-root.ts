import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder this package is installed in, wherever the bundler put the calling code. Called for each tool of a plan. */
export function packageRoot(): string {
	found ??= findRoot();
	return found;
}

let found: string | undefined;

function findRoot(): string {
	let dir = dirname(fileURLToPath(import.meta.url));
	while (!existsSync(join(dir, "package.json"))) dir = dirname(dir);
	return dir;
}
