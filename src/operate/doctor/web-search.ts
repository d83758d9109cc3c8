import { type Account, searchAccounts } from "../../web/search/accounts.ts";
import type { WebSettings } from "../../web/services.ts";
import { type Check, type Finding, pass } from "./check.ts";

/** A query that reveals nothing about the user. */
const QUESTION = { query: "weather", count: 1 };

/** Which search providers web_search would ask. Actually asks the first one, unless pi should stay offline. */
export const checkWebSearch: Check = {
	name: "web search",
	async *run({ sources: { config, env }, signal }) {
		const { web } = config.config;
		const accounts = searchAccounts(web, env);
		const names = accounts.map(({ name }) => name);
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
			yield { level: "warn", what: "No search provider can be asked", remedy: "Check `web` in pi-geon.json." };
		} else if (env.PI_OFFLINE) {
			yield pass(`web_search asks ${names.join(", then ")}`, "PI_OFFLINE is set, so it was not tried.");
		} else yield* tried(accounts, web, signal);
	},
};

/** Asks one after the other until one answers, as web_search does. */
async function* tried(accounts: Account[], settings: WebSettings, signal: AbortSignal): AsyncGenerator<Finding> {
	const [{ ask }, { createGuardedFetch }, { WebError }] = await Promise.all([
		import("../../web/search/ask.ts"),
		import("../../web/net/guarded-fetch.ts"),
		import("../../web/error.ts"),
	]);
	const fetch = createGuardedFetch();
	for (const account of accounts) {
		try {
			const hits = await ask(account, QUESTION, { fetch, settings, signal });
			if (hits.length > 0) {
				yield pass(`web_search works: ${account.name} answered`);
				return;
			}
			yield { level: "warn", what: `web_search: ${account.name} found nothing for "${QUESTION.query}"` };
		} catch (error) {
			if (!(error instanceof WebError)) throw error;
			yield { level: "warn", what: `web_search gets no answer: ${error.message}`, remedy: UNANSWERED_REMEDY };
		}
	}
}

const UNANSWERED_REMEDY =
	"Check the network and the key of the provider, or choose another one under `web` in pi-geon.json.";
