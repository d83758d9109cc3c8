import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isExecutable } from "../../config/is-executable.ts";
import { ancestors, type Workspace } from "../workspace.ts";
import type { ServerDefinition } from "./definition.ts";

/** Where a program may be looked for. */
export interface Surroundings {
	workspace: Workspace;
	/** Whether programs of the project may be run. */
	trusted: boolean;
	env: NodeJS.ProcessEnv;
}

/** The program of a server: the project's own, then that of the user's PATH, then of the usual places. */
export function findProgram(
	{ command, npmPackage }: ServerDefinition,
	root: string,
	surroundings: Surroundings,
): string | undefined {
	const [program = ""] = command;
	if (isAbsolute(program)) return isExecutable(program) ? program : undefined;
	// A path relative to a project would be a program of the project.
	if (program !== basename(program)) return undefined;
	return placesFor(root, surroundings)
		.flatMap((folder) => namesOf(program).map((name) => join(folder, name)))
		.filter(isExecutable)
		.find((path) => !npmPackage || majorVersion(path, npmPackage.name) >= npmPackage.since);
}

function placesFor(root: string, { workspace, trusted, env }: Surroundings): string[] {
	const own = ancestors(root)
		.filter((folder) => workspace.contains(folder))
		.flatMap((folder) => [join(folder, "node_modules", ".bin"), join(folder, ".venv", "bin")]);
	const path = (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
	const home = homedir();
	const usual = [
		...(env.GOBIN ? [env.GOBIN] : []),
		...[".cargo/bin", "go/bin", ".local/bin"].map((folder) => join(home, folder)),
		...["/usr/local/bin", "/opt/homebrew/bin", "/opt/homebrew/opt/llvm/bin"],
	];
	// npm scripts put the project's programs on the PATH; those need trust all the same.
	return [...(trusted ? own : []), ...path.filter((folder) => trusted || !workspace.contains(folder)), ...usual];
}

/** Only what starts without a shell, so no .cmd on Windows. */
const namesOf = (program: string): string[] => (process.platform === "win32" ? [`${program}.exe`] : [program]);

/** Of the npm package a program belongs to; 0 if it belongs to none of that name. */
function majorVersion(program: string, packageName: string): number {
	for (const folder of ancestors(dirname(realpathSync(program)))) {
		const manifest = manifestIn(folder);
		if (manifest?.name === packageName) return Number.parseInt(manifest.version ?? "", 10) || 0;
	}
	return 0;
}

function manifestIn(folder: string): { name?: string; version?: string } | undefined {
	try {
		return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: string; version?: string };
	} catch (error) {
		if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return undefined;
		throw error;
	}
}
