import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** Tools that do what tools should not do. */
export default function misbehavingTools(pi: ExtensionAPI): void {
	const tool = (name: string, execute: (signal: AbortSignal | undefined) => Promise<string>) =>
		pi.registerTool({
			name,
			label: name,
			description: name,
			parameters: Type.Object({}),
			execute: async (_id, _params, signal) => ({
				content: [{ type: "text", text: await execute(signal) }],
				details: undefined,
			}),
		});

	tool("hangs_until_aborted", (signal) => {
		const { promise, reject } = Promise.withResolvers<string>();
		// A promise alone keeps no process alive, and the point is that it is waited for.
		const busy = setInterval(() => {}, 1000);
		signal?.addEventListener("abort", () => {
			clearInterval(busy);
			reject(new Error("aborted"));
		});
		return promise;
	});
	tool("ignores_abort", () => {
		setInterval(() => {}, 1000);
		return new Promise(() => {});
	});
	tool("crashes_the_process", () => {
		setImmediate(() => {
			throw new Error("An extension of the child's threw where nobody catches.");
		});
		return new Promise(() => {});
	});
}
