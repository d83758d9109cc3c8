import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress } from "./report.ts";

/** How many releases are tried, from the newest on: some cannot be installed everywhere. */
const TRIES = 3;

export interface InstalledPeer {
	/** The folder that pi loads as an extension. */
	extension: string;
	version: string;
}

/** Installs the newest release of a package that can be installed, without running any of its scripts. */
export function installPeer(name: string, scratch: string): InstalledPeer {
	const folder = join(scratch, name.replaceAll(/\W+/g, "-"));
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
	const failures: string[] = [];
	for (const version of releasesOf(name).slice(0, TRIES)) {
		try {
			progress(`installing ${name} ${version}`);
			// pi's own packages are pi's: inside pi, imports of them are mapped to it.
			const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev", "--omit=peer", "--legacy-peer-deps"];
			npm(["install", ...quiet, `${name}@${version}`], folder);
			const extension = join(folder, "node_modules", name);
			return { extension, version: JSON.parse(readFileSync(join(extension, "package.json"), "utf8")).version };
		} catch (error) {
			failures.push(`${version}: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : error}`);
		}
	}
	throw new Error(`cannot be installed (${failures.join("; ")})`);
}

function releasesOf(name: string): string[] {
	const said: unknown = JSON.parse(npm(["view", name, "versions", "--json"]));
	return (Array.isArray(said) ? said.map(String) : [String(said)]).reverse();
}

const npm = (args: string[], cwd?: string): string =>
	execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
