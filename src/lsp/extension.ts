import { type ExtensionAPI, parseArgs } from "@earendil-works/pi-coding-agent";
import { configFor } from "../config/config-for.ts";
import { decideTrust } from "../config/project-trust.ts";
import { lspTool, type PoolUser } from "./tool.ts";

/** The `lsp` tool, in a user's pi and in child sessions. It only wires: `run.ts` tells what happens. */
export default function lspExtension(pi: ExtensionAPI): void {
	const isChild = process.env.PI_SUBAGENT_CHILD === "1";
	const user: PoolUser = {};
	const tool = lspTool({ isChild, user });
	pi.registerTool(tool);

	pi.on("session_start", (event, ctx) => {
		decideTrust(event, ctx);
		if (isChild) return; // A child has the tools of its plan.
		const { enabled } = configFor(ctx).config.lsp;
		const isWanted = enabled || parseArgs(process.argv.slice(2)).tools?.includes(tool.name);
		// Registered even if switched off: delegation finds the tools for children among the registered ones.
		if (!isWanted) pi.setActiveTools(pi.getActiveTools().filter((name) => name !== tool.name));
	});
	if (!isChild) pi.on("session_shutdown", () => user.leave?.());
}
