#!/usr/bin/env node
// Runs an npm script on a fresh clone: installs what the lockfile names if it is not there yet. Because it comes before
// the installation, this file runs on an old Node (20) and imports nothing that must be installed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { seeToSystemPackages } from "./system-packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = [22, 19];

/**
 * How to start npm without a shell: through its script where that is known, because Windows has only an `npm.cmd`
 * that Node refuses to spawn.
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
export function npmCommand(args) {
	const script = npmScript();
	return script ? [process.execPath, [script, ...args]] : ["npm", args];
}

function npmScript() {
	const running = process.env.npm_execpath;
	// yarn and pnpm set the same variable to themselves.
	if (running && /^np[mx]-cli\.c?js$/.test(basename(running))) return join(dirname(running), "npm-cli.js");
	if (process.platform !== "win32") return undefined;
	const folders = [dirname(process.execPath), ...(process.env.PATH ?? "").split(delimiter)];
	return folders
		.map((folder) => join(folder, "node_modules", "npm", "bin", "npm-cli.js"))
		.find((file) => existsSync(file));
}

/**
 * Compares what is installed with the lockfile by content: times say nothing after a checkout or in a copied folder.
 * npm writes its own record last, so an interrupted installation has none.
 */
function isInstalled() {
	const record = join(root, "node_modules", ".package-lock.json");
	if (!existsSync(record)) return false;
	const wanted = readPackages(join(root, "package-lock.json"));
	const present = readPackages(record);
	return Object.entries(wanted).every(([path, entry]) => {
		const mayBeAbsent = path === "" || entry.optional || entry.devOptional;
		return present[path] ? present[path].version === entry.version : mayBeAbsent;
	});
}

function readPackages(file) {
	return JSON.parse(readFileSync(file, "utf8")).packages ?? {};
}

function hasUsableNode() {
	const bundled = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	const [oldestMajor, oldestMinor] = OLDEST_NODE;
	return existsSync(bundled) || major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** Runs npm in the repository with this terminal as its own, and resolves with its exit code or signal. */
function npm(args) {
	const [command, commandArgs] = npmCommand(args);
	const bin = join(root, "node_modules", ".bin");
	const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` };
	const child = spawn(command, commandArgs, { cwd: root, env, stdio: "inherit" });
	// Ctrl-C reaches the whole group of the terminal: npm ends by itself and this process waits for it.
	const ignore = () => {};
	const forward = () => child.kill("SIGTERM");
	process.on("SIGINT", ignore);
	process.on("SIGTERM", forward);
	return new Promise((resolve) => {
		child.once("error", (error) => resolve({ code: 1, problem: `npm could not be started: ${error.message}` }));
		child.once("close", (code, signal) => resolve({ code: code ?? 128 + (constants.signals[signal] ?? 0), signal }));
	}).finally(() => {
		process.off("SIGINT", ignore);
		process.off("SIGTERM", forward);
	});
}

function stop(message, code) {
	console.error(`\n${message}`);
	process.exit(code || 1);
}

async function install() {
	console.error("Installing the development dependencies (once, into node_modules)…");
	const { code, problem } = await npm(["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]);
	if (code === 130) process.exit(130);
	if (code !== 0) {
		stop(
			`${problem ?? `npm ci failed with exit code ${code}`}.\nThe reason is above. Usual ones: no network or registry ` +
				"(check `npm ping`), no space, or a package.json that differs from package-lock.json (run `npm install`).",
			code,
		);
	}
}

async function main([script, ...args]) {
	if (!script) stop("Usage: node scripts/bootstrap.mjs <npm-script> [arguments]", 2);
	if (script === "check") {
		const problem = seeToSystemPackages();
		if (problem) stop(problem, 1);
	}
	if (!isInstalled()) await install();
	if (!hasUsableNode()) {
		stop(
			`This needs Node ${OLDEST_NODE.join(".")} or newer; running is ${process.versions.node}, and the one that the package ` +
				"`node` brings is not there (were install scripts disabled?). Run `npm rebuild node`, or install a newer Node.",
			1,
		);
	}
	const { code, signal, problem } = await npm(["run", script, ...(args.length > 0 ? ["--", ...args] : [])]);
	if (problem) stop(problem, 1);
	// Ending by the same signal tells the shell that it was interrupted, so that it stops its own loop too.
	if (signal) process.kill(process.pid, signal);
	process.exitCode = code;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
