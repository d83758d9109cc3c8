import type { SearchProviderName } from "../../config/config.ts";
import { WebError } from "../error.ts";
import type { WebCall } from "../services.ts";
import { type Account, searchAccounts } from "./accounts.ts";
import { ask } from "./ask.ts";
import type { SearchHit, SearchQuestion } from "./provider.ts";

export interface SearchAnswer {
	provider: SearchProviderName;
	hits: SearchHit[];
}

/**
 * The searches of one call, one after the other, because the cheaper plans of most providers allow one request a second. Does
 * not ask a provider that failed again, and remembers why it failed.
 */
export class Searcher {
	readonly #call: WebCall;
	readonly #accounts: Account[];
	readonly #failures = new Map<SearchProviderName, WebError>();

	constructor(call: WebCall) {
		this.#call = call;
		this.#accounts = searchAccounts(call.settings, call.env);
	}

	async search(question: SearchQuestion): Promise<SearchAnswer> {
		for (const account of this.#accounts.filter(({ name }) => !this.#failures.has(name))) {
			try {
				return { provider: account.name, hits: await ask(account, question, this.#call) };
			} catch (error) {
				if (!(error instanceof WebError)) throw error;
				this.#failures.set(account.name, error);
			}
		}
		throw this.#allFailed();
	}

	/** Why providers other than the first were asked. */
	get notes(): string[] {
		return [...this.#failures.values()].map(({ code, message }) => `${code}: ${message}`);
	}

	#allFailed(): WebError {
		const [first] = this.#failures.values();
		const reasons = [...this.#failures.values()].map(({ message }) => message).join(" ");
		const { provider } = this.#call.settings;
		if (!first)
			return new WebError("PROVIDER_UNAVAILABLE", `${provider} is chosen but has no key or address. ${CONFIGURE}`);
		const hasKey = this.#accounts.some(({ name }) => name !== "duckduckgo");
		const { code, retryAfterSeconds } = first;
		return new WebError(code, hasKey ? reasons : `${reasons} ${CONFIGURE}`, {
			...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
		});
	}
}

const CONFIGURE =
	"The user can set BRAVE_API_KEY, TAVILY_API_KEY, SERPER_API_KEY, EXA_API_KEY or SEARXNG_URL, or web.providers in pi-geon.json.";
