import type { SearchProviderName } from "../config/config.ts";
import type { DocumentKind } from "./convert/kind.ts";
import type { WebErrorCode } from "./error.ts";
import type { SearchHit } from "./search/provider.ts";

/** What went wrong with one part of a call, or, without any subject, with the call itself. */
export interface WebFailure {
	/** The number of the search result it is about. */
	index?: number;
	url?: string;
	query?: string;
	path?: string;
	code: WebErrorCode;
	message: string;
	retryAfterSeconds?: number;
}

/** A page or file that was read. Its text is in the result's content, and whole under the response id. */
export interface PageDetails {
	/** Its number in the response, from 1. */
	index: number;
	/** The address or path that was asked for. */
	source: string;
	finalUrl?: string;
	title?: string;
	kind: DocumentKind;
	chars: number;
	/** Which characters are in this result. */
	shown: { from: number; to: number };
	/** What was left out of the text, and why. */
	notes?: string[];
	/** How often what was looked for is in the text, and where the places begin that are shown. */
	found?: { count: number; places: number[] };
}

/** The data of a result. It is ok when at least one part of what was asked for is there. */
export interface WebDetails {
	ok: boolean;
	/** For `get_search_content`; only where pages were read. */
	responseId?: string;
	pages: PageDetails[];
	errors: WebFailure[];
}

export interface SearchResult extends SearchHit {
	index: number;
	query: string;
	provider: SearchProviderName;
}

export interface SearchDetails extends WebDetails {
	results: SearchResult[];
	/** Which providers failed before another one answered, and why. */
	notes: string[];
}
