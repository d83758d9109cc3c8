#!/usr/bin/env node
// Takes care of the programs that the tests need and npm does not have. As root it installs what is missing; another user is told
// the one command. Like bootstrap.mjs it runs on an old Node, before anything is installed.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Program → packages of Debian and its kin. */
const NEEDED = {
	clangd: "clangd",
	gopls: "gopls",
	go: "golang-go",
	git: "git",
	curl: "curl",
	openssl: "openssl",
	// The tests of the live page run in it. Without a font it draws boxes.
	chromium: "chromium fonts-dejavu-core",
	// There are no such programs elsewhere.
	...(process.platform === "linux" ? { strace: "strace", bwrap: "bubblewrap", ip: "iproute2" } : {}),
};

/** Tested where the system has packages of it, as not all releases do. */
const RUST = ["rust-analyzer", "cargo"];

const found = (program) => {
	return (process.env.PATH ?? "").split(delimiter).some((folder) => {
		try {
			accessSync(join(folder, process.platform === "win32" ? `${program}.exe` : program), constants.X_OK);
			return true;
		} catch {
			return false; // Not there, or not for us: the next folder may have it.
		}
	});
};

/** Being there is not enough: rustup puts a program of this name there that only says that it is missing. */
const works = (program) => found(program) && spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

const apt = (args) => spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;

const isOffered = (name) =>
	/^\s*Candidate: (?!\(none\))/m.test(spawnSync("apt-cache", ["policy", name], { encoding: "utf8" }).stdout ?? "");

function missingPackages() {
	const needed = Object.keys(NEEDED).filter((program) => !found(program));
	const isRustMissing = !works("rust-analyzer");
	const isRustOffered = isRustMissing && isOffered("rust-analyzer");
	const packages = [...needed.flatMap((program) => NEEDED[program].split(" ")), ...(isRustOffered ? RUST : [])];
	return { packages, isRustMissing: isRustMissing && !isRustOffered };
}

/** Undefined if the tests can run, else why not. */
export function seeToSystemPackages() {
	const { packages, isRustMissing } = missingPackages();
	if (isRustMissing) {
		console.error("This system has no package rust-analyzer: the tests run without that language server.");
	}
	if (packages.length === 0) return undefined;
	const command = `apt-get install -y --no-install-recommends ${packages.join(" ")}`;
	if (!found("apt-get"))
		return `The tests need ${packages.join(", ")} (names of Debian's packages). Install them first.`;
	if (process.getuid?.() !== 0) return `The tests need some programs of the system. Run this once:\n  sudo ${command}`;
	console.error(`Installing ${packages.join(", ")} for the tests (once)…`);
	const args = ["install", "-y", "--no-install-recommends", ...packages];
	// A new machine has no list of packages, or an old one.
	if (apt(args) || (apt(["update"]) && apt(args))) return undefined;
	return `The tests need some programs of the system, and installing them failed. The reason is above. Run:\n  ${command}`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const problem = seeToSystemPackages();
	if (problem) console.error(problem);
	process.exitCode = problem ? 1 : 0;
}
