// Unpacks an npm package into .cache/ for the tests, where it cannot be a dev dependency.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { npmCommand } from "./bootstrap.mjs";

const run = promisify(execFile);
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, ".cache");

/**
 * Makes sure that it is there, and resolves with the path of `file` in it. `complete` adds what else it needs. Several processes may do so at once: the first
 * to finish wins.
 * @param {{ spec: string, name: string, file: string, size: string, why: string, complete?: (folder: string) => void }} wanted
 */
export async function fetchPackage(wanted) {
	const path = cachedFile(wanted);
	if (existsSync(path)) {
		wanted.complete?.(join(cache, wanted.name));
		return path;
	}
	await mkdir(cache, { recursive: true });
	await removeAbandoned(wanted);
	const unfinished = await mkdtemp(join(cache, `${wanted.name}.unfinished-`));
	const progress = setTimeout(
		() => console.error(`Fetching ${wanted.spec} for the tests (${wanted.size}, once)…`),
		1500,
	);
	try {
		await unpack(unfinished, wanted);
		await publish(unfinished, wanted);
	} catch (error) {
		throw new Error(explain(error, wanted), { cause: error });
	} finally {
		clearTimeout(progress);
		await rm(unfinished, { recursive: true, force: true });
	}
	return path;
}

/** Where a file of it is, or will be once fetched. */
export const cachedFile = ({ name, file }) => join(cache, name, "package", file);

async function unpack(folder, { spec, complete }) {
	const [npm, args] = npmCommand(["pack", spec, "--loglevel=error", "--pack-destination", folder]);
	await run(npm, args, { cwd: folder });
	const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
	if (!tarball) throw new Error("npm pack left no tarball");
	await run("tar", ["-xzf", tarball], { cwd: folder });
	await rm(join(folder, tarball));
	complete?.(folder);
}

async function publish(unfinished, wanted) {
	try {
		await rename(unfinished, join(cache, wanted.name));
	} catch (error) {
		if (!existsSync(cachedFile(wanted))) throw error;
	}
}

async function removeAbandoned({ name }) {
	const names = (await readdir(cache)).filter((entry) => entry.startsWith(`${name}.unfinished-`));
	for (const entry of names) {
		const folder = join(cache, entry);
		const info = await stat(folder).catch(() => undefined);
		if (info && Date.now() - info.mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
	}
}

function explain(error, { spec, why, ...wanted }) {
	const cause = [error?.stderr, error?.message].find((text) => typeof text === "string" && text.trim() !== "");
	return (
		`Could not fetch ${spec}, ${why}.\n${String(cause ?? error).trim()}\n` +
		`Remedy: run the tests once with a registry in reach; offline, unpack the tarball of ${spec} so that ` +
		`${cachedFile(wanted)} exists.`
	);
}
