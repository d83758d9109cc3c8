import { delimiter, isAbsolute, join } from "node:path";
import { isExecutable } from "../../config/is-executable.ts";

/** The path of a program: in one of the given folders, or else on the PATH. Relative folders on the PATH are ignored. */
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
