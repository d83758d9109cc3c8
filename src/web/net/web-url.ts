import { WebError } from "../error.ts";

const LONGEST_URL = 4096;

/** Reads an address as a browser would, which also unifies the many spellings of an IP address. */
export function parseWebUrl(text: string, base?: URL): URL {
	if (text.length > LONGEST_URL) throw invalid(`The address is longer than ${LONGEST_URL} characters.`);
	const url = URL.parse(text.trim(), base?.href);
	if (!url) throw invalid("It is not a complete address such as https://example.com/page.");
	if (url.protocol !== "http:" && url.protocol !== "https:")
		throw invalid("Only http and https addresses are fetched.");
	if (url.username !== "" || url.password !== "")
		throw invalid("Addresses with a user name or password are not fetched.");
	url.hash = "";
	return url;
}

/** Without the brackets of IPv6 and the dot at the end of a full name. */
export const hostnameOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

const invalid = (message: string): WebError => new WebError("CONTENT_FETCH_INVALID_URL", message);
