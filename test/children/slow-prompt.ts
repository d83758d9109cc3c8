import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** An extension that takes its time before a child's first model call. */
export default function slowPrompt(pi: ExtensionAPI): void {
	pi.registerTool({
		name: "slow_prompt",
		label: "slow",
		description: "slow",
		parameters: Type.Object({}),
		execute: async () => ({ content: [], details: undefined }),
	});
	pi.on("before_agent_start", async () => {
		if (process.env.PI_SUBAGENT_CHILD === "1") await new Promise((resolve) => setTimeout(resolve, 1500));
	});
}
