import type { Page } from "./process-state.ts";

const NOT_THERE = "The page has no part with the name after # in its address. It is shown from its beginning.";

/** A page that begins where its address points to. */
export function atFragment(page: Page): Page {
	const name = fragmentOf(page.source);
	if (name === undefined || page.text === "") return page;
	const { anchors = {} } = page;
	const at = Object.hasOwn(anchors, name) ? anchors[name] : undefined;
	if (at === undefined) return { ...page, notes: [...(page.notes ?? []), NOT_THERE] };
	// Includes the marks of a heading or a list before it.
	return { ...page, start: page.text.lastIndexOf("\n", at - 1) + 1 };
}

/** The name that an address points to. The beginning of a page needs none, and a text fragment is not a name. */
function fragmentOf(source: string): string | undefined {
	const hash = (URL.parse(source)?.hash ?? "").slice(1).replace(/:~:.*$/s, "");
	if (hash === "" || hash === "top") return undefined;
	try {
		return decodeURIComponent(hash);
	} catch {
		return hash; // A percent sign that is part of the name.
	}
}
