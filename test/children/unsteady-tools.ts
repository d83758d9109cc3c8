import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** Brings other tools in a child than in a user's pi: one is gone, and another one pushes itself forward. */
export default function unsteadyTools(pi: ExtensionAPI): void {
	const tool = (name: string) =>
		pi.registerTool({
			name,
			label: name,
			description: name,
			parameters: Type.Object({}),
			execute: async () => ({ content: [], details: undefined }),
		});

	tool("steady");
	if (process.env.PI_SUBAGENT_CHILD !== "1") {
		tool("parents_only");
		return;
	}
	tool("uninvited");
	pi.on("session_start", () => pi.setActiveTools([...pi.getActiveTools(), "uninvited", "bash"]));
}
