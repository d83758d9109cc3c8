import { computed } from "@preact/signals";
import type { PageRun, RunQuery } from "../../api/runs.ts";
import { route, setQuery } from "./route.ts";

export type StateFilter = "open" | "running" | "queued" | "failed" | "finished";
export const STATE_FILTERS: readonly StateFilter[] = ["open", "running", "queued", "failed", "finished"];

/** The filters of the list, which are in the address, so that a link leads to the same list. */
export interface Filters {
	state?: StateFilter;
	agent?: string;
	folder?: string;
	session?: string;
	text?: string;
}

export const filters = computed<Filters>(() => {
	const { query } = route.value;
	const state = STATE_FILTERS.find((each) => each === query.get("state"));
	const texts = ["agent", "folder", "session", "text"].flatMap((name) => {
		const value = query.get(name);
		return value === null || value === "" ? [] : [[name, value] as const];
	});
	return { ...(state && { state }), ...Object.fromEntries(texts) };
});

export const isFiltered = computed(() => Object.keys(filters.value).length > 0);

export const setFilters = (changes: { [Name in keyof Filters]?: Filters[Name] | undefined }): void => setQuery(changes);

export const clearFilters = (): void =>
	setFilters({ state: undefined, agent: undefined, folder: undefined, session: undefined, text: undefined });

const OF_STATE: Readonly<Record<StateFilter, RunQuery>> = {
	open: { phase: "queued,running,stopping" },
	running: { phase: "running,stopping" },
	queued: { phase: "queued" },
	failed: { status: "failed" },
	finished: { status: "success" },
};

export function queryOf({ state, agent, folder, session, text }: Filters): RunQuery {
	return {
		...(state && OF_STATE[state]),
		...(agent !== undefined && { agent }),
		...(folder !== undefined && { cwd: folder }),
		...(session !== undefined && { session }),
		...(text !== undefined && { text }),
	};
}

/**
 * Whether the server would certainly list a run. The server searches more text than a row has, so it may list more runs.
 */
export function passes(row: PageRun, { state, agent, folder, session, text }: Filters): boolean {
	if (agent !== undefined && row.agent !== agent) return false;
	if (folder !== undefined && row.cwd !== folder) return false;
	if (session !== undefined && row.parentSession !== session) return false;
	if (text !== undefined && !hasText(row, text.toLowerCase())) return false;
	return state === undefined || isInState(row, state);
}

function hasText({ task, label, agent, runId }: PageRun, wanted: string): boolean {
	const texts: readonly string[] = [task, label ?? "", agent, runId];
	return texts.some((text) => text.toLowerCase().includes(wanted));
}

function isInState({ phase, status }: PageRun, state: StateFilter): boolean {
	if (state === "failed") return phase === "ended" && status !== "success";
	if (state === "finished") return phase === "ended" && status === "success";
	const { phase: phases = "" } = OF_STATE[state];
	return phases.split(",").includes(phase);
}
