import { delimiter, isAbsolute, join } from "node:path";
import { isExecutable } from "../../config/is-executable.ts";

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
