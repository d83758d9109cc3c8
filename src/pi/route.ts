import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/**
 * A route is whatever an application that drives pi needs to know about where a conversation came from: a channel, a
 * thread. It sets one on the session, we give it back with the announces of runs spawned from then on.
 */
const ROUTE = "pi-geon:route";

/** The event with which an extension in the same process sets the route. */
const SET_ROUTE = "subagents:route";

/** The last that was set on the session, on whichever branch: a user who goes back in the tree stays in the same chat. */
export function routeOf(ctx: ExtensionContext): unknown {
	const entry = ctx.sessionManager
		.getEntries()
		.findLast((entry) => entry.type === "custom" && entry.customType === ROUTE);
	return entry?.type === "custom" ? (entry.data ?? undefined) : undefined;
}

/** Applications on the other end of RPC set a route with a command; extensions in the same process with an event. */
export function registerRoute(pi: ExtensionAPI): void {
	pi.registerCommand("subagents-route", {
		description: "Set the route that announces of subagents carry (JSON; for applications that drive pi)",
		handler: async (args, ctx) => {
			try {
				pi.appendEntry(ROUTE, args.trim() === "" ? null : JSON.parse(args));
			} catch (error) {
				if (!(error instanceof SyntaxError)) throw error;
				ctx.ui.notify(`The route must be JSON: ${error.message}. Nothing was changed.`, "error");
			}
		},
	});
	const unsubscribe = pi.events.on(SET_ROUTE, (route) => pi.appendEntry(ROUTE, asJson(route)));
	// The bus outlives this instance of the extension: a reloaded one listens anew.
	pi.on("session_shutdown", unsubscribe);
}

/** What a session file can hold of it. What cannot be written down at all (a cycle) is refused, and pi says so. */
function asJson(route: unknown): unknown {
	return JSON.parse(JSON.stringify(route ?? null) ?? "null");
}
