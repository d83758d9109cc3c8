import { SEARCH_PROVIDERS, type SearchProviderName } from "../../config/config.ts";
import type { WebSettings } from "../services.ts";
import { duckduckgo } from "./duckduckgo.ts";
import { brave, exa, searxng, serper, tavily } from "./json-apis.ts";
import type { SearchProvider } from "./provider.ts";

const PROVIDERS: Readonly<Record<SearchProviderName, SearchProvider>> = {
	brave,
	tavily,
	serper,
	exa,
	searxng,
	duckduckgo,
};

/** A provider that is available. */
export interface Account {
	name: SearchProviderName;
	provider: SearchProvider;
	baseUrl: string;
	key: string;
	/** The user chose the address, which may be on their own network. */
	isUsersAddress: boolean;
}

/** The available providers, in the order in which to ask them. */
export function searchAccounts(settings: WebSettings, env: NodeJS.ProcessEnv): Account[] {
	const first = settings.provider;
	const order = [...SEARCH_PROVIDERS].sort((a, b) => Number(b === first) - Number(a === first));
	const accounts = order.flatMap((name) => accountOf(name, settings, env) ?? []);
	return settings.fallback ? accounts : accounts.filter(({ name }) => name === (first ?? accounts[0]?.name));
}

function accountOf(name: SearchProviderName, settings: WebSettings, env: NodeJS.ProcessEnv): Account | undefined {
	const provider = PROVIDERS[name];
	const chosen = settings.providers[name];
	const own = chosen.baseUrl ?? (name === "searxng" ? env.SEARXNG_URL : undefined);
	const baseUrl = (own || provider.baseUrl)?.replace(/\/+$/, "");
	const key = "apiKeyEnv" in chosen ? (chosen.apiKey ?? env[chosen.apiKeyEnv]) : "";
	if (baseUrl === undefined || key === undefined || ("apiKeyEnv" in chosen && key.trim() === "")) return undefined;
	return { name, provider, baseUrl, key: key.trim(), isUsersAddress: Boolean(own) };
}
