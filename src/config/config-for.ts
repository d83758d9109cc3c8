import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { fileVersion } from "./file-version.ts";
import { type LastUsable, type LoadedConfig, loadConfig } from "./load.ts";
import { isTrustedByDecision, projectFolder } from "./project-trust.ts";

/**
 * The current configuration. Every call asks for it, so this does not read an unchanged file again. A file that can no longer
 * be read, because it is just being saved or contains a mistake, must not lift its restrictions: the last readable content
 * stays in force.
 */
export function configFor(ctx: ExtensionContext): LoadedConfig {
	const userFile = join(getAgentDir(), "pi-geon.json");
	const projectFile = join(projectFolder(ctx), CONFIG_DIR_NAME, "pi-geon.json");
	// Checking trust reads several of pi's files; most projects have nothing to check.
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
