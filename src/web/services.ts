import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config } from "../config/config.ts";
import type { GuardedFetch } from "./net/guarded-fetch.ts";

export type WebSettings = Config["web"];

/** The services of the tools, the same for all calls. */
export interface WebServices {
	fetch: GuardedFetch;
	/** The script of the thread that converts documents. */
	worker: URL;
	env: NodeJS.ProcessEnv;
	settings(ctx: ExtensionContext): WebSettings;
}

/** The services of one call. */
export interface WebCall extends Omit<WebServices, "settings"> {
	settings: WebSettings;
	signal: AbortSignal | undefined;
}
