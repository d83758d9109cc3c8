import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type LoadedConfig, loadConfig } from "./load.ts";
import { isTrustedByDecision } from "./project-trust.ts";

/** The configuration of this moment. Every call asks for it; a file that has not changed is not read again. */
export function configFor(ctx: ExtensionContext): LoadedConfig {
	const userFile = join(getAgentDir(), "pi-geon.json");
	const projectFile = join(ctx.cwd, CONFIG_DIR_NAME, "pi-geon.json");
	// Asking about trust reads several files of pi's; most projects have nothing to ask about.
	const usesProject = existsSync(projectFile) && isTrustedByDecision(ctx);
	const files = usesProject ? [userFile, projectFile] : [userFile];
	const version = files.map((file) => `${file} ${versionOf(file)}`).join("\n");
	if (loaded?.version !== version) {
		loaded = { version, config: loadConfig({ userFile, ...(usesProject && { projectFile }) }) };
	}
	return loaded.config;
}

let loaded: { version: string; config: LoadedConfig } | undefined;

function versionOf(file: string): string {
	const stats = statSync(file, { throwIfNoEntry: false });
	return stats ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ") : "missing";
}
