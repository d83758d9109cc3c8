import { signal } from "@preact/signals";
import { filters, setFilters } from "./data/filters.ts";
import { paused } from "./data/live.ts";
import { runDetail } from "./data/open-run.ts";
import { go, openRunId, type RunTab, route, runLink, viewLink } from "./data/route.ts";
import { runList } from "./data/run-list.ts";
import { nextTheme } from "./data/theme.ts";
import { type PageAction, pageActionOf } from "./keys.ts";
import { SEARCH_ID } from "./overview/filter-bar.tsx";
import { rowBeside, select, selectedId, selectedRow } from "./overview/selection.ts";
import { askApply, askBranch, askStop, askUndo, copyAnswer, writingTo } from "./run/actions.tsx";
import { exporting } from "./run/export-dialog.tsx";
import { foldOrUnfoldAll } from "./run/folds.ts";
import { following, TRANSCRIPT_ID } from "./run/transcript-view.tsx";

export const showsHelp = signal(false);

const SCROLL_PX = 60;

export function followKeys(): void {
	addEventListener("keydown", (event) => {
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
		if (document.querySelector("dialog[open]")) return;
		const action = pageActionOf(event.key);
		if (action === undefined || isForElement(event)) return;
		if (doAction(action)) event.preventDefault();
	});
}

const TYPED = "input, textarea, select, [contenteditable]";

/** Whether a field has the focus: there, letters are text, and Esc leaves the field. */
function isTyping({ target, key }: KeyboardEvent): boolean {
	if (!(target instanceof HTMLElement) || !target.matches(TYPED)) return false;
	if (key === "Escape") target.blur();
	return true;
}

/** Whether the focused element handles the key itself: a button or a link handles Enter, a scrolling area the arrows. */
function isForElement({ target, key }: KeyboardEvent): boolean {
	if (!(target instanceof HTMLElement)) return false;
	if (key === "Enter") return target.matches("a, button, summary");
	const scrolls = key.startsWith("Arrow") || key === "Home" || key === "End";
	return scrolls && target.matches(".transcript, .pane-scroll, .waterfall, .log") && key !== "ArrowLeft";
}

/** Does the action of a key. False if there was nothing to do. */
function doAction(action: PageAction): boolean {
	const act = openRunId.value === undefined ? IN_LIST[action] : (IN_RUN[action] ?? IN_LIST[action]);
	if (!act || (route.value.view !== "runs" && !EVERYWHERE.has(action))) return false;
	act();
	return true;
}

const EVERYWHERE: ReadonlySet<PageAction> = new Set(["help", "theme", "pause", "search", "back"]);

const move = (step: number) => () => select(rowBeside(step));
const open = (id: string | undefined) => {
	if (id !== undefined) go(runLink(id));
};

const IN_LIST: Partial<Record<PageAction, () => void>> = {
	up: move(-1),
	down: move(1),
	first: () => select(runList.value.rows[0]?.runId),
	last: () => select(runList.value.rows.at(-1)?.runId),
	enter: () => open(selectedId.value),
	back: () => {
		if (route.value.view === "runs") select(undefined);
		else go(viewLink("runs"));
	},
	facts: () => selectedId.value !== undefined && go(runLink(selectedId.value, "details")),
	diff: () => selectedId.value !== undefined && go(runLink(selectedId.value, "changes")),
	stop: () => {
		const row = selectedRow.value;
		if (row && row.phase !== "ended") askStop(row);
	},
	message: () => {
		if (selectedId.value === undefined) return;
		writingTo.value = selectedId.value;
		open(selectedId.value);
	},
	scope: () =>
		setFilters({ session: filters.value.session === undefined ? selectedRow.value?.parentSession : undefined }),
	search: () => document.querySelector<HTMLInputElement>(`#${SEARCH_ID}, search input[type=search]`)?.focus(),
	pause: () => {
		paused.value = !paused.value;
	},
	theme: nextTheme,
	help: () => {
		showsHelp.value = true;
	},
};

const scroller = (): HTMLElement | null => document.querySelector(`#${TRANSCRIPT_ID}, .run-main .pane-scroll`);

/** Goes to a part of the run, or from there back to its transcript. */
const toggle = (tab: RunTab) => () => {
	const { runId = "", tab: now } = route.value;
	go(runLink(runId, now === tab ? "transcript" : tab));
};

const IN_RUN: Partial<Record<PageAction, () => void>> = {
	up: () => scroller()?.scrollBy({ top: -SCROLL_PX }),
	down: () => scroller()?.scrollBy({ top: SCROLL_PX }),
	first: () => scroller()?.scrollTo({ top: 0 }),
	last: () => scroller()?.scrollTo({ top: scroller()?.scrollHeight ?? 0 }),
	enter: () => scroller()?.focus(),
	back: () => {
		const id = openRunId.value;
		go(viewLink("runs"));
		select(id);
	},
	previousRun: () => open(rowBeside(-1)),
	nextRun: () => open(rowBeside(1)),
	follow: () => {
		following.value = true;
	},
	fold: foldOrUnfoldAll,
	facts: toggle("details"),
	diff: toggle("changes"),
	message: () => {
		if (runDetail.value?.can.send) writingTo.value = runDetail.value.runId;
	},
	stop: () => {
		if (runDetail.value?.can.stop) askStop(runDetail.value);
	},
	apply: () => {
		const run = runDetail.value;
		if (run?.can.apply) askApply(run);
		else if (run?.can.undo) askUndo(run);
	},
	branch: () => {
		const run = runDetail.value;
		if (run?.can.branch) askBranch(run);
	},
	export: () => {
		exporting.value = runDetail.value?.runId;
	},
	copy: () => runDetail.value && void copyAnswer(runDetail.value),
};
