import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/**
 * An extension that holds up prompts until a file is there, so that several of them reach pi's agent at once; those that
 * say so until another one is there. Each prompt that is held is a line of a third file: pi refuses a prompt that it
 * reads while it works on another.
 */
export default function promptsAtOnce(pi: ExtensionAPI): void {
	const gate = process.env.PROMPTS_GATE;
	pi.on("before_agent_start", async ({ prompt }) => {
		if (!gate || !prompt.startsWith("Held")) return;
		appendFileSync(`${gate}.held`, `${prompt}\n`);
		const file = prompt.endsWith("longer.") ? `${gate}.longer` : gate;
		while (!existsSync(file)) await sleep(10);
	});
}
