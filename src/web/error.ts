/** The closed set of error codes of the web tools. The message has the details. */
export const WEB_ERROR_CODES = [
	"INVALID_INPUT",
	"NOT_FOUND",
	"WEB_SEARCH_FAILED",
	"WEB_SEARCH_TIMEOUT",
	"WEB_SEARCH_INVALID_QUERY",
	"CONTENT_FETCH_FAILED",
	"CONTENT_FETCH_TIMEOUT",
	"CONTENT_FETCH_INVALID_URL",
	"PROVIDER_RATE_LIMITED",
	"PROVIDER_UNAVAILABLE",
	"PROVIDER_AUTH_FAILED",
	"NETWORK_ERROR",
	"FILE_NOT_FOUND",
	"FILE_TOO_LARGE",
	"PRIVATE_NETWORK_BLOCKED",
	"CONVERT_FAILED",
	"CONVERT_TIMEOUT",
] as const;

export type WebErrorCode = (typeof WEB_ERROR_CODES)[number];

/**
 * A failure that is reported to the model. Its message is outside the marks around untrusted text, so it never quotes a page
 * or a provider.
 */
export class WebError extends Error {
	override name = "WebError";
	readonly code: WebErrorCode;
	/** How long the server asked us to wait. */
	readonly retryAfterSeconds: number | undefined;

	constructor(code: WebErrorCode, message: string, { retryAfterSeconds }: { retryAfterSeconds?: number } = {}) {
		super(message);
		this.code = code;
		this.retryAfterSeconds = retryAfterSeconds;
	}
}
