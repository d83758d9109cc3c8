import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Writes down what pi-geon says on `pi.events`, and sets a route the way an extension does. */
export default function eventListener(pi: ExtensionAPI): void {
	for (const step of ["created", "started", "ended", "announced"]) {
		pi.events.on(`subagents:${step}`, (event) => {
			appendFileSync(join(process.cwd(), "events.jsonl"), `${JSON.stringify({ step, pid: process.pid, event })}\n`);
		});
	}
	pi.registerCommand("route-by-event", {
		description: "Sets the route with an event",
		handler: async (args) => pi.events.emit("subagents:route", JSON.parse(args)),
	});
}
