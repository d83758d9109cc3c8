import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** Tools that take the whole process with them. */
export default function deadlyTools(pi: ExtensionAPI): void {
	const tool = (name: string, execute: () => unknown) =>
		pi.registerTool({
			name,
			label: name,
			description: name,
			parameters: Type.Object({}),
			execute: async () => {
				execute();
				return new Promise<never>(() => {});
			},
		});

	tool("blocks_the_loop", () => {
		for (;;);
	});
	tool("throws_in_a_timer", () =>
		setTimeout(() => {
			throw new Error("An extension of the child's threw where nobody catches.");
		}, 10),
	);
	tool("exits", () => setTimeout(() => process.exit(3), 10));
	tool("eats_memory", () => {
		const eaten: number[][] = [];
		setInterval(() => eaten.push(Array.from({ length: 4_000_000 }, (_, n) => n / 3)), 1);
	});
}
