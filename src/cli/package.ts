import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder this package is installed in. */
export function packageRoot(): string {
	let dir = dirname(fileURLToPath(import.meta.url));
	while (!existsSync(join(dir, "package.json"))) dir = dirname(dir);
	return dir;
}

export const packageVersion = (): string =>
	(JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string }).version;
