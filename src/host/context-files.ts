import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The only context files a child reads. The parent's other ones (who it is, whom it serves) are not the child's. */
const NAMES = ["AGENTS.md", "TOOLS.md"];

/** The user's own first, then from the outermost folder to the working directory: the nearest has the last word. */
export function contextFiles(cwd: string, agentDir: string): { path: string; content: string }[] {
	return [agentDir, ...ancestors(cwd).reverse()]
		.flatMap((dir) => NAMES.map((name) => join(dir, name)))
		.filter(isReadableFile)
		.map((path) => ({ path, content: readFileSync(path, "utf8") }));
}

function isReadableFile(path: string): boolean {
	try {
		if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
		accessSync(path, constants.R_OK);
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}

function ancestors(dir: string): string[] {
	const parent = dirname(dir);
	return parent === dir ? [dir] : [dir, ...ancestors(parent)];
}
