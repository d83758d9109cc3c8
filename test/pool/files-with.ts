import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../helpers/home.ts";

/** Files of a home that hold one of these. */
export const filesWith = (home: Home, words: readonly string[]): string[] =>
	globSync("**/*", { cwd: home.home, exclude: ["**/jiti/**"] }).filter((name) => {
		const path = join(home.home, name);
		if (!statSync(path).isFile()) return false;
		const content = readFileSync(path, "latin1");
		return words.some((word) => content.includes(word));
	});
