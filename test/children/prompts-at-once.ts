import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** An extension that holds up prompts until a file is there, so that several of them reach pi's agent at once. */
export default function promptsAtOnce(pi: ExtensionAPI): void {
	const gate = process.env.PROMPTS_GATE;
	pi.on("before_agent_start", async ({ prompt }) => {
		while (gate && prompt.startsWith("Held") && !existsSync(gate)) await sleep(10);
	});
}
