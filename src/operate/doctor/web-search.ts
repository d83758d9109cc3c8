import { searchAccounts } from "../../web/search/accounts.ts";
import { type Check, pass } from "./check.ts";

/** Which search providers web_search would ask. None is really asked: that would cost, or tell somebody. */
export const checkWebSearch: Check = {
	name: "web search",
	*run({ sources: { config, env } }) {
		const { web } = config.config;
		const names = searchAccounts(web, env).map(({ name }) => name);
		const { provider } = web;
		if (provider !== null && !names.includes(provider)) {
			const chosen = web.providers[provider];
			yield {
				level: "warn",
				what: `web.provider is ${provider}, which has no ${"apiKeyEnv" in chosen ? "key" : "address"}`,
				detail: names.length > 0 ? `Asked instead: ${names.join(", ")}.` : "No other is asked: web.fallback is false.",
				remedy:
					"apiKeyEnv" in chosen
						? `Set ${chosen.apiKeyEnv}, or web.providers.${provider}.apiKey in pi-geon.json.`
						: `Set web.providers.${provider}.baseUrl in pi-geon.json.`,
			};
		} else if (names.length === 0) {
			yield { level: "warn", what: "No search provider can be asked", remedy: "Look at `web` in pi-geon.json." };
		} else yield pass(`web_search asks ${names.join(", then ")}`);
	},
};
