#!/usr/bin/env node
// Unpacks pi 1.5.0 into .cache/ so that the tests run on it too. It is not a dev dependency because not every registry has
// all of its dependencies; its bundle needs two of them: jiti, which loads extensions, and quickjs-wasi, which runs scripts.
import { execFile } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { npmCommand } from "./bootstrap.mjs";

const run = promisify(execFile);
const VERSION = "1.5.0";
const PACKAGE = `@earendil-works/pi-coding-agent@${VERSION}`;
const NEEDED = ["jiti", "quickjs-wasi"];
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, ".cache");
const home = join(cache, `pi-${VERSION}`);

/** Where the command line of pi 1.5.0 is, or will be once fetched. */
export const pi15Path = () => join(home, "package", "dist", "bundle", "cli.js");

/** Makes sure that it is there. Several processes may do so at once: the first to finish wins. */
async function fetchPi15() {
	if (existsSync(pi15Path())) {
		addNeeded(home);
		return pi15Path();
	}
	await mkdir(cache, { recursive: true });
	await removeAbandoned();
	const unfinished = await mkdtemp(join(cache, `pi-${VERSION}.unfinished-`));
	const progress = setTimeout(() => console.error(`Fetching pi ${VERSION} for the tests (8 MB, once)…`), 1500);
	try {
		await unpack(unfinished);
		await publish(unfinished);
	} catch (error) {
		throw new Error(explain(error), { cause: error });
	} finally {
		clearTimeout(progress);
		await rm(unfinished, { recursive: true, force: true });
	}
	return pi15Path();
}

async function unpack(folder) {
	const [npm, args] = npmCommand(["pack", PACKAGE, "--loglevel=error", "--pack-destination", folder]);
	await run(npm, args, { cwd: folder });
	const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
	if (!tarball) throw new Error("npm pack left no tarball");
	await run("tar", ["-xzf", tarball], { cwd: folder });
	await rm(join(folder, tarball));
	addNeeded(folder);
}

function addNeeded(folder) {
	for (const name of NEEDED) {
		const copy = join(folder, "node_modules", name);
		if (!existsSync(copy)) cpSync(join(root, "node_modules", name), copy, { recursive: true });
	}
}

async function publish(unfinished) {
	try {
		await rename(unfinished, home);
	} catch (error) {
		if (!existsSync(pi15Path())) throw error;
	}
}

async function removeAbandoned() {
	const names = (await readdir(cache)).filter((name) => name.startsWith(`pi-${VERSION}.unfinished-`));
	for (const name of names) {
		const folder = join(cache, name);
		const info = await stat(folder).catch(() => undefined);
		if (info && Date.now() - info.mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
	}
}

function explain(error) {
	const cause = [error?.stderr, error?.message].find((text) => typeof text === "string" && text.trim() !== "");
	return (
		`Could not fetch ${PACKAGE}, which the tests run on besides the installed pi.\n${String(cause ?? error).trim()}\n` +
		`Remedy: with a registry in reach, run \`node scripts/fetch-pi.mjs\` once; offline, unpack the tarball of ${PACKAGE} ` +
		`so that ${pi15Path()} exists.`
	);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	try {
		console.log(await fetchPi15());
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
	}
}
