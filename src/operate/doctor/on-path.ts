import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where a program is: in one of the folders given, or else on the PATH. A relative folder on the PATH counts for nothing. */
export function onPath(
	names: readonly string[],
	env: NodeJS.ProcessEnv,
	first: readonly string[] = [],
): string | undefined {
	const folders = [...first, ...(env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder))];
	const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
	return folders
		.flatMap((folder) => names.flatMap((name) => endings.map((ending) => join(folder, `${name}${ending}`))))
		.find(isExecutable);
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}
