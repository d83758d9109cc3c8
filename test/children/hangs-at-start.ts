import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** An extension that never comes back from its own start, but only inside a child. */
export default function hangsAtStart(pi: ExtensionAPI): void {
	pi.registerTool({
		name: "slow_starter",
		label: "slow",
		description: "slow",
		parameters: Type.Object({}),
		execute: async () => ({ content: [], details: undefined }),
	});
	pi.on("session_start", async () => {
		if (process.env.PI_SUBAGENT_CHILD === "1") await new Promise(() => {});
	});
}
