import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/**
 * A route is whatever an application that drives pi needs to know about where a conversation came from: a channel, a
 * thread. It sets one on the session, we give it back with the announces of runs spawned from then on.
 */
const ROUTE = "pi-geon:route";

export function routeOf(ctx: ExtensionContext): unknown {
	const entry = ctx.sessionManager
		.getBranch()
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
	pi.events.on("subagents:route", (route) => pi.appendEntry(ROUTE, route ?? null));
}
