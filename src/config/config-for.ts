import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { fileVersion } from "./file-version.ts";
import { type LastUsable, type LoadedConfig, loadConfig } from "./load.ts";
import { isTrustedByDecision, projectFolder } from "./project-trust.ts";

/**
 * The configuration of this moment. Every call asks for it; a file that has not changed is not read again. One that cannot
 * be read any more, because it is just being saved or has a mistake in it, must not lift what it forbade: what was read
 * before stays in force.
 */
export function configFor(ctx: ExtensionContext): LoadedConfig {
	const userFile = join(getAgentDir(), "pi-geon.json");
	const projectFile = join(projectFolder(ctx), CONFIG_DIR_NAME, "pi-geon.json");
	// Asking about trust reads several files of pi's; most projects have nothing to ask about.
	const usesProject = existsSync(projectFile) && isTrustedByDecision(ctx);
	const files = usesProject ? [userFile, projectFile] : [userFile];
	const version = files.map((file) => `${file} ${fileVersion(file)}`).join("\n");
	if (latest?.version !== version) {
		latest = { version, loaded: loadConfig({ userFile, ...(usesProject && { projectFile }) }, lastUsable) };
	}
	return latest.loaded;
}

let latest: { version: string; loaded: LoadedConfig } | undefined;
const lastUsable: LastUsable = new Map();
