import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** A provider that only this extension knows of. */
export default function ownProvider(pi: ExtensionAPI): void {
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
}
