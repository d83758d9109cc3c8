import { readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";

const PACKAGE = "pi-geon";

/**
 * Whether pi's settings, the user's or the project's, name this package or something that refers to it. Undefined if an entry
 * is unclear: advice to install what is already installed would mislead the user.
 */
export function isLoadedByPi(agentDir: string, cwd: string): boolean | undefined {
	try {
		const answers = [agentDir, join(cwd, ".pi")].flatMap((base) => [
			...sourcesIn(join(base, "settings.json")).map((source) => loadsPackage(source, base)),
			...extensionsIn(join(base, "extensions")).map((name) => mentionsUs(join(base, "extensions", name))),
		]);
		if (answers.includes(true)) return true;
		return answers.includes(undefined) ? undefined : false;
	} catch (error) {
		// An unreadable file may name anything. pi itself reports problems of its files.
		if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return undefined;
		throw error;
	}
}

/** The packages and extensions that a settings file of pi names. */
function sourcesIn(file: string): unknown[] {
	const text = textOfFile(file);
	if (text === undefined) return [];
	const settings = JSON.parse(text.replace(/^\uFEFF/, "")) as { packages?: unknown; extensions?: unknown } | null;
	return [settings?.packages ?? [], settings?.extensions ?? []].flat();
}

/** An entry is a source, or an object with a source and a selection of its parts. */
function loadsPackage(entry: unknown, base: string): boolean | undefined {
	const source = typeof entry === "object" && entry !== null && "source" in entry ? entry.source : entry;
	if (typeof source !== "string") return undefined;
	if (source.includes(PACKAGE)) return true;
	if (source.startsWith("npm:")) return false;
	// A fork may have any name, and a pattern may match any file.
	if (/^(git|github|https?|ssh):|[*?[\]{}!]/.test(source)) return undefined;
	return mentionsUs(resolve(base, source.replace(/^[+-]/, "").replace(/^~(?=$|[/\\])/, homedir())));
}

/** Whether an extension, or a folder with one, is this package or loads it. */
function mentionsUs(path: string): boolean {
	if (!statSync(path, { throwIfNoEntry: false })) return false;
	const real = realpathSync(path);
	const inside = ["index.ts", "index.js"].map((name) => join(real, name));
	return [real, ...inside, ...manifestsAround(real)].some((file) => textOfFile(file)?.includes(PACKAGE));
}

function manifestsAround(path: string): string[] {
	const manifest = join(path, "package.json");
	return dirname(path) === path ? [manifest] : [manifest, ...manifestsAround(dirname(path))];
}

/** Undefined if there is no such file. */
function textOfFile(file: string): string | undefined {
	return statSync(file, { throwIfNoEntry: false })?.isFile() ? readRegularFile(file) : undefined;
}

function extensionsIn(folder: string): string[] {
	return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
