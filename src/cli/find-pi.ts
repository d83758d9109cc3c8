import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../config/package-root.ts";
import { onPath } from "../operate/doctor/on-path.ts";
import { type HostProfile, profileOf } from "../supervise/profile.ts";
import { agentDir } from "./surroundings.ts";

export interface FoundPi {
	/** How to start it. */
	command: string[];
	version: string;
}

const VERSION_WITHIN_MS = 20_000;

/** The pi on the PATH: an npm package that this process's Node can run, or a standalone executable. */
export async function findPi(env: NodeJS.ProcessEnv = process.env): Promise<FoundPi | undefined> {
	const found = onPath(["pi"], env);
	if (found === undefined) return undefined;
	const program = realpathSync(found);
	const packaged = packageAround(program);
	if (packaged) return { command: [process.execPath, packaged.script], version: packaged.version };
	try {
		const { stdout, stderr } = await promisify(execFile)(program, ["--version"], { timeout: VERSION_WITHIN_MS, env });
		const version = /\d+\.\d+\.\d+\S*/.exec(`${stdout}${stderr}`)?.[0];
		return version === undefined ? undefined : { command: [program], version };
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // Something else has that name.
		throw error;
	}
}

/** The profile of that pi's hosts in this environment, so that a pi started here shares them. */
export const profileFor = ({ command, version }: FoundPi): HostProfile =>
	profileOf({
		command,
		piVersion: version,
		agentDir: agentDir(),
		hostEntry: join(packageRoot(), "dist", "host.js"),
		env: process.env,
	});

function packageAround(program: string): { script: string; version: string } | undefined {
	if (!/\.[cm]?js$/.test(program)) return undefined;
	for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) {
		const manifest = manifestIn(folder);
		if (manifest?.bin?.pi && manifest.version)
			return { script: join(folder, manifest.bin.pi), version: manifest.version };
	}
	return undefined;
}

function manifestIn(folder: string): { bin?: { pi?: string }; version?: string } | undefined {
	const file = join(folder, "package.json");
	return existsSync(file)
		? (JSON.parse(readFileSync(file, "utf8")) as { bin?: { pi?: string }; version?: string })
		: undefined;
}
