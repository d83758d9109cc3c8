import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isInside } from "../../files/project-area.ts";
import { COMPILE_COMMANDS } from "./definition.ts";
import type { ServerLaunch } from "./launch.ts";

/**
 * Redirects a server that would write into the project to a folder of its own: the user asked a question and expects the
 * same files afterwards. The folder stays, since its content takes long to create.
 */
export function writingElsewhere(launch: ServerLaunch): ServerLaunch {
	const { definition, env } = launch;
	if (definition.name === "clangd") return withOwnIndex(launch);
	if (definition.name === "rust-analyzer") return { ...launch, env: { ...env, CARGO_TARGET_DIR: ownFolder(launch) } };
	return launch;
}

/** clangd keeps its index beside the compile commands, even if these are in the project. */
function withOwnIndex(launch: ServerLaunch): ServerLaunch {
	const command = commandsFolderFor(launch, () => ownFolder(launch));
	return command ? { ...launch, command } : launch;
}

/** The command of a clangd that finds its compile commands in a folder of ours. Undefined if it needs none. */
export function commandsFolderFor(
	{ definition, command, root }: ServerLaunch,
	folderOf: () => string,
): readonly string[] | undefined {
	if (definition.name !== "clangd") return undefined;
	const commands = COMPILE_COMMANDS.map((file) => join(root, file)).find((file) => existsSync(file));
	if (commands === undefined || command.some((part) => part.startsWith("--compile-commands-dir"))) return undefined;
	const folder = folderOf();
	linkTo(commands, join(folder, "compile_commands.json"));
	return [...command, `--compile-commands-dir=${folder}`];
}

function linkTo(file: string, link: string): void {
	rmSync(link, { force: true });
	try {
		symlinkSync(file, link);
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		copyFileSync(file, link); // On Windows, few users may create links.
	}
}

/** A folder in the user's cache. If that is in the project or not writable, a new folder that only this user can have made. */
function ownFolder({ definition, root, env }: ServerLaunch): string {
	const set = env.XDG_CACHE_HOME;
	const caches = set !== undefined && isAbsolute(set) ? set : join(homedir(), ".cache");
	const id = createHash("sha256").update(root).digest("hex").slice(0, 16);
	const folder = join(caches, "pi-geon", definition.name, id);
	if (!isInside(root, folder) && isMade(folder)) return folder;
	return mkdtempSync(join(tmpdir(), `pi-geon-${definition.name}-`));
}

function isMade(folder: string): boolean {
	try {
		mkdirSync(folder, { recursive: true });
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}
