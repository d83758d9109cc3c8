import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/**
 * An extension that holds up prompts until a file is there, so that several of them reach pi's agent at once; those that
 * say so until another one is there.
 */
export default function promptsAtOnce(pi: ExtensionAPI): void {
	const gate = process.env.PROMPTS_GATE;
	pi.on("before_agent_start", async ({ prompt }) => {
		const file = prompt.endsWith("longer.") ? `${gate}.longer` : gate;
		while (file && prompt.startsWith("Held") && !existsSync(file)) await sleep(10);
	});
}
