import { type ExtensionAPI, parseArgs, type ToolResultEvent } from "@earendil-works/pi-coding-agent";
import { configFor } from "../config/config-for.ts";
import { decideTrust } from "../config/project-trust.ts";
import type { GuardedFetch } from "./net/guarded-fetch.ts";
import type { WebServices } from "./services.ts";
import { convertContent } from "./tools/convert-content.ts";
import { fetchContent } from "./tools/fetch-content.ts";
import { getSearchContent } from "./tools/get-search-content.ts";
import { webSearch } from "./tools/web-search.ts";

const WEB_TOOLS = ["web_search", "fetch_content", "get_search_content", "convert_content"];

/** The web and document tools, for a user's pi and for children alike. */
export default function webTools(pi: ExtensionAPI): void {
	const services: WebServices = {
		fetch: guardedFetch(),
		// The script beside this file: the source in tests, a bundle when installed.
		worker: new URL(import.meta.url.endsWith(".ts") ? "./convert/worker.ts" : "./web-convert.js", import.meta.url),
		env: process.env,
		settings: (ctx) => configFor(ctx).config.web,
	};
	pi.registerTool(webSearch(services));
	pi.registerTool(fetchContent(services));
	pi.registerTool(getSearchContent());
	pi.registerTool(convertContent(services));

	pi.on("session_start", (event, ctx) => {
		decideTrust(event, ctx);
		if (isAskedFor() || configFor(ctx).config.web.enabled) return;
		// They stay registered, so that children can get them, but are not part of this session's prompt.
		pi.setActiveTools(pi.getActiveTools().filter((name) => !WEB_TOOLS.includes(name)));
	});
	pi.on("tool_result", ({ toolName, details }: ToolResultEvent) =>
		WEB_TOOLS.includes(toolName) && hasFailedCall(details) ? { isError: true } : undefined,
	);
}

/** Loaded at the first request: most sessions make none. */
function guardedFetch(): GuardedFetch {
	let loaded: Promise<GuardedFetch> | undefined;
	return async (request) => {
		loaded ??= import("./net/guarded-fetch.ts").then(({ createGuardedFetch }) => createGuardedFetch());
		return (await loaded)(request);
	};
}

/** Whether to leave the tools on: a child has the tools of its plan, and a user who names one with `--tools` wants it. */
function isAskedFor(): boolean {
	if (process.env.PI_SUBAGENT_CHILD === "1") return true;
	return parseArgs(process.argv.slice(2)).tools?.some((name) => WEB_TOOLS.includes(name)) ?? false;
}

const hasFailedCall = (details: unknown): boolean =>
	typeof details === "object" && details !== null && "ok" in details && details.ok === false;
