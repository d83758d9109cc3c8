import { computed, signal } from "@preact/signals";
import { takeToken } from "./token.ts";

/** Where the reader is: `#/`, `#/run/<id>`, `#/run/<id>/changes`, `#/agents` and so on. */
export type View = "runs" | "agents" | "pools" | "costs" | "doctor" | "logs";
export const VIEWS: readonly View[] = ["runs", "agents", "pools", "costs", "doctor", "logs"];

export type RunTab = "transcript" | "changes" | "details";

export interface Route {
	view: View;
	runId?: string;
	tab: RunTab;
	query: URLSearchParams;
}

// The address may still contain the token, followed by where to go.
takeToken();
const hash = signal(location.hash);
addEventListener("hashchange", () => {
	hash.value = location.hash;
});

export const route = computed<Route>(() => parseRoute(hash.value));
export const openRunId = computed(() => route.value.runId);

function parseRoute(text: string): Route {
	const [path = "", search = ""] = text.replace(/^#\/?/, "").split("?");
	const [first = "", id, tab] = path.split("/");
	const query = new URLSearchParams(search);
	if (first === "run" && id !== undefined && id !== "") {
		const isTab = tab === "changes" || tab === "details";
		return { view: "runs", runId: decoded(id), tab: isTab ? tab : "transcript", query };
	}
	const view = VIEWS.find((each) => each === first) ?? "runs";
	return { view, tab: "transcript", query };
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text; // A stray percent sign: no run has such an id, and the page reports that.
	}
}

/** Keeps the filters of the list in the address while the user reads runs. */
function withQuery(path: string): string {
	const search = route.value.query.toString();
	return search === "" ? path : `${path}?${search}`;
}

export const runLink = (id: string, tab: RunTab = "transcript"): string =>
	withQuery(`#/run/${encodeURIComponent(id)}${tab === "transcript" ? "" : `/${tab}`}`);

export const viewLink = (view: View): string => (view === "runs" ? withQuery("#/") : `#/${view}`);

export function go(link: string): void {
	location.hash = link;
}

/** Changes filters in place: going back leads to the view before, not through each letter of a search. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
	const query = new URLSearchParams(route.value.query);
	for (const [name, value] of Object.entries(changes)) {
		if (value === undefined || value === "") query.delete(name);
		else query.set(name, value);
	}
	const [path = ""] = location.hash.split("?");
	const search = query.toString();
	const next = `${path === "" ? "#/" : path}${search === "" ? "" : `?${search}`}`;
	history.replaceState(null, "", next);
	hash.value = next;
}
