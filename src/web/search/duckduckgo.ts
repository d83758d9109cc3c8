import { decodeEntities } from "../entities.ts";
import type { SearchHit, SearchProvider } from "./provider.ts";

// All parts are bounded, so that an unexpected page takes linear time.
const LINK = /<a\s([^<>]{0,2000})>([\s\S]{0,2000}?)<\/a>/g;
const SNIPPET = /\bclass="[^"<>]{0,200}\bresult__snippet\b[^<>]{0,2000}>([\s\S]{0,4000}?)<\/(?:a|div|td)>/;

/** DuckDuckGo's page for browsers without JavaScript. It needs no key, but may send a captcha to a busy user. */
export const duckduckgo: SearchProvider = {
	baseUrl: "https://html.duckduckgo.com",
	request: ({ query }, { baseUrl }) => ({ url: `${baseUrl}/html/?${new URLSearchParams({ q: query })}` }),
	hits(html) {
		if (html.includes("anomaly-modal") || !/class="[^"]*\b(results?|no-results)\b/.test(html)) {
			throw new Error("It is not the page with the results.");
		}
		const links = [...html.matchAll(LINK)].filter(([, attributes = ""]) =>
			/\bclass="[^"]*\bresult__a\b/.test(attributes),
		);
		return links.flatMap((link, index): SearchHit[] => {
			const url = linkTarget(link[1] ?? "");
			const rest = html.slice(link.index, links[index + 1]?.index);
			return url === undefined ? [] : [{ title: link[2] ?? "", url, snippet: SNIPPET.exec(rest)?.[1] ?? "" }];
		});
	},
};

/** Results link through a redirect with the address in a parameter; advertisements go elsewhere. */
function linkTarget(attributes: string): string | undefined {
	const href = URL.parse(decodeEntities(/\bhref="([^"]*)"/.exec(attributes)?.[1] ?? ""), "https://duckduckgo.com");
	if (!href) return undefined;
	if (href.hostname !== "duckduckgo.com") return href.href;
	return href.pathname === "/l/" ? (href.searchParams.get("uddg") ?? undefined) : undefined;
}
