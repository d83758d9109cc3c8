import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { parentLog } from "./parent-log.ts";

/**
 * A route is whatever an application that drives pi needs to know about the origin of a conversation: a channel, a thread.
 * The application sets it on the session, and we return it with the announces of runs spawned from then on.
 */
const ROUTE = "pi-geon:route";

/** The event with which an extension in the same process sets the route. */
const SET_ROUTE = "subagents:route";

/**
 * The old name of the command. It is no longer registered, because it was in the way when users completed `/subagents` with
 * Enter.
 */
const OLD_COMMAND = /^\/subagents-route(?!\S)([\s\S]*)/;

/** The last route that was set on the session, on any branch: a user who goes back in the tree stays in the same chat. */
export function routeOf(ctx: ExtensionContext): unknown {
	const entry = ctx.sessionManager
		.getEntries()
		.findLast((entry) => entry.type === "custom" && entry.customType === ROUTE);
	return entry?.type === "custom" ? (entry.data ?? undefined) : undefined;
}

/** Applications on the other end of RPC set a route with a command; extensions in the same process with an event. */
export function registerRoute(pi: ExtensionAPI): void {
	const setRoute = (args: string, ctx: ExtensionContext): void => {
		try {
			pi.appendEntry(ROUTE, args.trim() === "" ? null : JSON.parse(args));
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			ctx.ui.notify(`The route must be JSON: ${error.message}. Nothing was changed.`, "error");
		}
	};
	pi.registerCommand("announce-route", {
		description: "Set the route that reports of subagents carry (JSON; for applications that drive pi)",
		handler: async (args, ctx) => setRoute(args, ctx),
	});
	pi.on("input", ({ text }, ctx) => {
		const [, args] = OLD_COMMAND.exec(text) ?? [];
		if (args === undefined) return undefined;
		parentLog.warn("/subagents-route is now called /announce-route; the old name goes away with the next release");
		setRoute(args, ctx);
		return { action: "handled" };
	});
	const unsubscribe = pi.events.on(SET_ROUTE, (route) => pi.appendEntry(ROUTE, asJson(route)));
	// The bus outlives this instance of the extension, and a reloaded instance listens again.
	pi.on("session_shutdown", unsubscribe);
}

/** The route as it is stored in a session file. Throws for a value that JSON cannot express, and pi reports that. */
function asJson(route: unknown): unknown {
	return JSON.parse(JSON.stringify(route ?? null) ?? "null");
}
