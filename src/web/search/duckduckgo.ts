import { decodeEntities } from "../entities.ts";
import type { SearchHit, SearchProvider } from "./provider.ts";

const LINK = /<a\b[^>]*\bclass="[^"]*\bresult__a\b[^"]*"[^>]*>([\s\S]*?)<\/a>/g;
const SNIPPET = /\bclass="[^"]*\bresult__snippet\b[^"]*"[^>]*>([\s\S]*?)<\/(?:a|div|td)>/;

/** Its page for browsers without JavaScript: needs no key, but may ask a busy user to prove to be human. */
export const duckduckgo: SearchProvider = {
	baseUrl: "https://html.duckduckgo.com",
	request: ({ query }, { baseUrl }) => ({ url: `${baseUrl}/html/?${new URLSearchParams({ q: query })}` }),
	hits(html) {
		if (html.includes("anomaly-modal") || !/class="[^"]*\b(results?|no-results)\b/.test(html)) {
			throw new Error("It is not the page with the results.");
		}
		const links = [...html.matchAll(LINK)];
		return links.flatMap((link, index): SearchHit[] => {
			const url = targetOf(link[0]);
			const rest = html.slice(link.index, links[index + 1]?.index);
			return url === undefined ? [] : [{ title: link[1] ?? "", url, snippet: SNIPPET.exec(rest)?.[1] ?? "" }];
		});
	},
};

/** Results link through a redirect that has the address in a parameter; advertisements go elsewhere. */
function targetOf(link: string): string | undefined {
	const href = URL.parse(decodeEntities(/\bhref="([^"]*)"/.exec(link)?.[1] ?? ""), "https://duckduckgo.com");
	if (!href) return undefined;
	if (href.hostname !== "duckduckgo.com") return href.href;
	return href.pathname === "/l/" ? (href.searchParams.get("uddg") ?? undefined) : undefined;
}
