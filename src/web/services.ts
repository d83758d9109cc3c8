import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { isTrustedByDecision } from "../config/project-trust.ts";
import type { GuardedFetch } from "./net/guarded-fetch.ts";

export type WebSettings = Config["web"];

/** What the tools work with, the same for all calls. */
export interface WebServices {
	fetch: GuardedFetch;
	/** The script of the thread that converts documents. */
	worker: URL;
	env: NodeJS.ProcessEnv;
	settings(ctx: ExtensionContext): WebSettings;
}

/** What one call works with. */
export interface WebCall extends Omit<WebServices, "settings"> {
	settings: WebSettings;
	signal: AbortSignal | undefined;
}

/** The settings of this moment. */
export function readSettings(ctx: ExtensionContext): WebSettings {
	const projectFile = join(ctx.cwd, CONFIG_DIR_NAME, "pi-geon.json");
	const userFile = join(getAgentDir(), "pi-geon.json");
	// Asking about trust reads several files of pi's; most projects have nothing to ask about.
	const isUsed = existsSync(projectFile) && isTrustedByDecision(ctx);
	return loadConfig({ userFile, ...(isUsed && { projectFile }) }).config.web;
}
