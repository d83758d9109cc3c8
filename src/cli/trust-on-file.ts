import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The user's decision about a project or one of the folders above it; undefined if none is on file. */
export function trustOnFile(agentDir: string, cwd: string): boolean | undefined {
	const decisions = jsonIn(join(agentDir, "trust.json"));
	for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
		const decision = decisions[folder];
		if (typeof decision === "boolean") return decision;
		if (dirname(folder) === folder) break;
	}
	return jsonIn(join(agentDir, "settings.json")).defaultProjectTrust === "always" ? true : undefined;
}

/** Empty if the file does not exist or cannot be read: pi itself reports what is wrong with it. */
function jsonIn(file: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
	} catch (error) {
		if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return {};
		throw error;
	}
}
