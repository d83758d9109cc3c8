import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** `/ask {…}` sends these words to pi-geon on `pi.events`, and shows each response. */
export default function askingExtension(pi: ExtensionAPI): void {
	let notify: ((text: string) => void) | undefined;
	pi.events.on("subagents:response", (response) => notify?.(`response ${JSON.stringify(response)}`));
	pi.registerCommand("ask", {
		description: "Sends a request to pi-geon",
		handler: async (args, ctx) => {
			notify = (text) => ctx.ui.notify(text, "info");
			pi.events.emit("subagents:request", JSON.parse(args));
		},
	});
}
