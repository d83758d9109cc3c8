import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { getAgentDir, getPackageDir, VERSION } from "@earendil-works/pi-coding-agent";
import { type HostProfile, profileOf } from "./profile.ts";

/** The profile of this process. */
export const currentProfile = (hostEntry: string): HostProfile =>
	profileOf({ command: piCommand(), piVersion: VERSION, agentDir: getAgentDir(), hostEntry, env: process.env });

/** The same pi as this process, even where a program embeds it: `process.argv` may name another program. */
function piCommand(): string[] {
	if (isCompiledBinary()) return [process.execPath];
	const packageDir = getPackageDir();
	const manifest = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as { bin: { pi: string } };
	return [process.execPath, join(packageDir, manifest.bin.pi)];
}

const isCompiledBinary = (): boolean =>
	process.versions.bun !== undefined && !/^bun(\.exe)?$/i.test(basename(process.execPath));
