import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** A tool that prints what it was given: with the console, and as bytes. */
export default function printingTool(pi: ExtensionAPI): void {
	pi.registerTool({
		name: "prints",
		label: "prints",
		description: "prints",
		parameters: Type.Object({ text: Type.String() }),
		execute: async (_id, { text }) => {
			console.error(`printed with the console: ${text}`);
			process.stdout.write(Buffer.from(`printed as bytes: ${text}\n`));
			return { content: [{ type: "text", text: "Printed." }], details: undefined };
		},
	});
}
