import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/**
 * A provider that only this extension knows of, with a tool and a hook beside it. In a host it may misbehave:
 * ELSEWHERE_IN_HOSTS is `throws`, `hangs` or `registers nothing`.
 */
export default async function ownProvider(pi: ExtensionAPI): Promise<void> {
	const isHost = process.env.PI_SUBAGENT_CHILD === "1";
	const inHosts = isHost ? process.env.ELSEWHERE_IN_HOSTS : undefined;
	if (inHosts === "throws") throw new Error("It does not want to.");
	if (inHosts === "hangs") await new Promise(() => setInterval(() => {}, 60_000));
	if (inHosts === "registers nothing") return;
	pi.registerProvider("elsewhere", {
		baseUrl: process.env.ELSEWHERE_URL ?? "",
		apiKey: "elsewhere-key",
		api: "openai-completions",
		models: [
			{
				id: "own",
				name: "own",
				reasoning: false,
				input: ["text"],
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
				contextWindow: 100_000,
				maxTokens: 1000,
			},
		],
	});
	pi.registerTool({
		name: "elsewhere_tool",
		label: "elsewhere",
		description: "Nothing for a child.",
		parameters: { type: "object", properties: {} } as never,
		execute: async () => ({ content: [], details: undefined }),
	});
	pi.on("session_start", () => {
		const traces = process.env.ELSEWHERE_TRACES;
		if (traces) writeFileSync(join(traces, `session_start of a ${isHost ? "child" : "parent"}`), "");
	});
}
