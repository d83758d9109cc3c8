import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder in which this package is installed. Remembered, because it is needed for each tool of a plan. */
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
