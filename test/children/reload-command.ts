import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Lets a test over RPC do what a user does with /reload. */
export default function reloadCommand(pi: ExtensionAPI): void {
	pi.registerCommand("reload-now", { handler: async (_args, ctx) => ctx.reload() });
}
