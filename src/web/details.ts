import type { SearchProviderName } from "../config/config.ts";
import type { DocumentKind } from "./convert/kind.ts";
import type { WebErrorCode } from "./error.ts";
import type { SearchHit } from "./search/provider.ts";

/** A failure of one part of a call, or, without a subject, of the call itself. */
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
	/** The requested address or path. */
	source: string;
	finalUrl?: string;
	title?: string;
	kind: DocumentKind;
	chars: number;
	/** Which characters are in this result. */
	shown: { from: number; to: number };
	/** What was left out of the text, and why. */
	notes?: string[];
	/** How often the wanted words occur in the text, and where the shown places begin. */
	found?: { count: number; places: number[] };
}

/** The data of a result. It is ok if at least one requested part is there. */
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
