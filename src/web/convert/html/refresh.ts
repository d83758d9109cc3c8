import { elementsIn, type PageElement, type PageTree } from "./tree.ts";

/** Longer waits are meant for readers of the page, and are not redirects. */
const LONGEST_WAIT_S = 10;

/** The address that a page redirects to, if it does so at once. */
export function refreshTarget(page: PageTree, url: string): string | undefined {
	for (const { name, attribs, parent } of elementsIn(page)) {
		if (name !== "meta" || attribs["http-equiv"]?.trim().toLowerCase() !== "refresh") continue;
		if ((parent as PageElement | null)?.name === "noscript") continue;
		const [, wait = "", target = ""] =
			/^\s*([\d.]+)\s*[;,]\s*(?:url\s*=\s*)?["']?([^"'\s]+)/i.exec(attribs.content ?? "") ?? [];
		const address = URL.parse(target, url);
		if (target === "" || Number(wait) > LONGEST_WAIT_S || !address || address.href === url) continue;
		return address.href;
	}
	return undefined;
}
