import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isExecutable } from "../../config/is-executable.ts";
import { projectArea } from "../../files/project-area.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import { ancestors } from "../../files/repository.ts";
import type { Workspace } from "../workspace.ts";
import type { ServerDefinition } from "./definition.ts";
import { isShims, pathVariable } from "./environment.ts";
import { interpretersOf } from "./interpreter.ts";
import { objectionTo, objectionToFolder, projectObjection } from "./untrusted-program.ts";

/** Where to look for a program. */
export interface Surroundings {
	workspace: Workspace;
	/** Whether programs of the project may be run. */
	trusted: boolean;
	env: NodeJS.ProcessEnv;
}

export interface FoundProgram {
	program: string | undefined;
	/** Programs that exist and may not be run here, each with the reason. */
	passedOver: string[];
}

/** The program of a server: the project's own, then the one on the user's PATH, then one in the usual places. */
export function findProgram(
	{ command, npmPackage }: ServerDefinition,
	root: string,
	surroundings: Surroundings,
): FoundProgram {
	const [name = ""] = command;
	const passedOver: string[] = [];
	const area = surroundings.trusted ? undefined : projectArea(surroundings.workspace);
	const program = programPaths(name, root, surroundings)
		.filter(isExecutable)
		.filter((path) => !npmPackage || majorVersion(path, npmPackage.name) >= npmPackage.since)
		.find((path) => {
			const objection = area && objectionIn(area, path, path === name);
			if (objection !== undefined) passedOver.push(`${path} was skipped: ${objection}.`);
			return objection === undefined;
		});
	return { program, passedOver };
}

/** A path that the user configured, unless the project decides what is there. */
function objectionIn(area: readonly string[], program: string, isNamed: boolean): string | undefined {
	if (isNamed) return projectObjection(program, area) ?? interpreterObjection(program, area, projectObjection);
	const folder = dirname(program);
	if (isShims(folder)) return "it lets the project choose what it runs";
	return (
		objectionToFolder(folder, area) ?? objectionTo(program, area) ?? interpreterObjection(program, area, objectionTo)
	);
}

/** A script is only as trustworthy as the program that runs it. */
function interpreterObjection(
	program: string,
	area: readonly string[],
	objection: typeof objectionTo,
): string | undefined {
	for (const interpreter of interpretersOf(program)) {
		const why = isAbsolute(interpreter) ? objection(interpreter, area) : "it is not an absolute path";
		if (why !== undefined) return `its interpreter ${interpreter}: ${why}`;
	}
	return undefined;
}

function programPaths(program: string, root: string, surroundings: Surroundings): string[] {
	if (isAbsolute(program)) return [program];
	// A path relative to a project would be a program of the project.
	if (program !== basename(program)) return [];
	return placesFor(root, surroundings).flatMap((folder) => executableNames(program).map((name) => join(folder, name)));
}

function placesFor(root: string, { workspace, trusted, env }: Surroundings): string[] {
	const own = ancestors(root)
		.filter((folder) => workspace.contains(folder))
		.flatMap((folder) => [join(folder, "node_modules", ".bin"), join(folder, ".venv", "bin")]);
	// Relative folders, "." and empty ones would be folders of the project.
	const path = pathVariable(env)
		.split(delimiter)
		.filter((folder) => isAbsolute(folder));
	const home = homedir();
	const usual = [
		...(env.GOBIN && isAbsolute(env.GOBIN) ? [env.GOBIN] : []),
		...[".cargo/bin", "go/bin", ".local/bin"].map((folder) => join(home, folder)),
		...["/usr/local/bin", "/opt/homebrew/bin", "/opt/homebrew/opt/llvm/bin"],
	];
	return [...new Set([...(trusted ? own : []), ...path, ...usual])];
}

/** Only programs that start without a shell, so no .cmd on Windows. */
const executableNames = (program: string): string[] => (process.platform === "win32" ? [`${program}.exe`] : [program]);

/** The major version of a program's npm package; 0 if it does not belong to a package of that name. */
function majorVersion(program: string, packageName: string): number {
	for (const folder of ancestors(dirname(realpathSync(program)))) {
		const manifest = packageIn(folder);
		if (manifest?.name === packageName) return Number.parseInt(manifest.version ?? "", 10) || 0;
	}
	return 0;
}

function packageIn(folder: string): { name?: string; version?: string } | undefined {
	try {
		return JSON.parse(readRegularFile(join(folder, "package.json"))) as { name?: string; version?: string };
	} catch (error) {
		if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return undefined;
		throw error;
	}
}
