export interface SearchHit {
	title: string;
	url: string;
	snippet: string;
	published?: string;
}

export interface SearchQuestion {
	query: string;
	count: number;
}

/** A request to the service of a provider; with a body it is a POST. */
export interface ApiRequest {
	url: string;
	headers?: Readonly<Record<string, string>>;
	body?: string;
}

/** How to ask one service and how to read its answer. Both are pure: `ask.ts` sends the request. */
export interface SearchProvider {
	/** null: every user has their own. */
	baseUrl: string | null;
	request(question: SearchQuestion, account: { baseUrl: string; key: string }): ApiRequest;
	/** Throws when the answer does not have the form of this service. */
	hits(body: string): SearchHit[];
}
