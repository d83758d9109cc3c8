import { inOneLine } from "../../collect/plain.ts";
import { isRunId, type RunId } from "../../run/ids.ts";
import type { RunRows } from "./run-rows.ts";
import type { InspectorView, Screen } from "./screen.ts";

const LONGEST_NOTICE = 200;
/** Long enough to read it. */
const NOTICE_STAYS_MS = 6000;

/** What the inspector shows, and where in it the user is. */
export class Navigation {
	#view: InspectorView = {
		rows: [],
		count: { total: 0, queued: 0, running: 0 },
		scope: "session",
		selected: 0,
		pane: "list",
		run: undefined,
		shows: "transcript",
		diff: [],
		pools: [],
		unfolded: false,
		top: undefined,
		notice: "",
		question: undefined,
	};
	/** The screen as it was last drawn. */
	#screen: Screen = { lines: [], total: 0, height: 1, below: 0, listed: 1 };
	#selectedId: RunId | undefined;
	#noticedAt = 0;

	get view(): InspectorView {
		return this.#view;
	}

	get selectedId(): RunId | undefined {
		return this.#selectedId;
	}

	show(change: Partial<InspectorView>): void {
		this.#view = { ...this.#view, ...change };
	}

	notify(notice: string): void {
		this.#noticedAt = Date.now();
		this.show({ notice: inOneLine(notice).slice(0, LONGEST_NOTICE) });
	}

	hideOldNotice(): void {
		if (this.#view.notice !== "" && Date.now() - this.#noticedAt >= NOTICE_STAYS_MS) this.show({ notice: "" });
	}

	drawn(screen: Screen): void {
		this.#screen = screen;
	}

	/** Receives the current list. The selected run stays selected, even if its place in the list changes. */
	list({ rows, count }: RunRows): void {
		const index = rows.findIndex(({ runId }) => runId === this.#selectedId);
		const selected = Math.max(0, index);
		const id = rows[selected]?.runId;
		this.#selectedId = id !== undefined && isRunId(id) ? id : undefined;
		this.show({ rows, count, selected });
	}

	/** Selects a run that the list may not have yet. */
	choose(id: RunId): void {
		this.#selectedId = id;
		this.show({ top: firstRow(this.#view.shows) });
	}

	/** Selects another run or scrolls by a line. True if another run is selected. */
	step(by: 1 | -1): boolean {
		if (this.#isListed()) return this.#select(this.#view.selected + by);
		this.#scroll(by);
		return false;
	}

	turnPage(direction: 1 | -1): boolean {
		const { height, listed } = this.#screen;
		if (this.#isListed()) return this.#select(this.#view.selected + direction * listed);
		this.#scroll(direction * height);
		return false;
	}

	toFirst(): boolean {
		if (this.#isListed()) return this.#select(0);
		this.show({ top: 0 });
		return false;
	}

	toLast(): boolean {
		if (this.#isListed()) return this.#select(this.#view.rows.length - 1);
		this.show({ top: undefined });
		return false;
	}

	switchPane(): void {
		this.show({ pane: this.#view.pane === "list" && this.#view.run ? "run" : "list" });
	}

	toggle(shows: "facts" | "help" | "diff" | "pools", pane: InspectorView["pane"]): void {
		const next = this.#view.shows === shows ? "transcript" : shows;
		this.show({ shows: next, top: firstRow(next), pane });
	}

	/** False if there is nothing to go back to. */
	goBack(): boolean {
		if (this.#coversList()) this.show({ shows: "transcript", top: undefined });
		else if (this.#view.pane === "run") this.show({ pane: "list" });
		else return false;
		return true;
	}

	#select(index: number): boolean {
		const row = this.#view.rows[Math.max(0, Math.min(index, this.#view.rows.length - 1))];
		if (!row || !isRunId(row.runId) || row.runId === this.#selectedId) return false;
		this.#selectedId = row.runId;
		if (this.#view.shows === "diff") this.show({ shows: "transcript" });
		this.show({ selected: this.#view.rows.indexOf(row), top: firstRow(this.#view.shows) });
		return true;
	}

	/** Scrolling to the end follows the text again. */
	#scroll(by: number): void {
		const { total, height } = this.#screen;
		const last = Math.max(0, total - height);
		const top = Math.max(0, Math.min((this.#view.top ?? last) + by, last));
		this.show({ top: top === last ? undefined : top });
	}

	#isListed(): boolean {
		return this.#view.pane === "list" && !this.#coversList();
	}

	#coversList(): boolean {
		return this.#view.shows === "help" || this.#view.shows === "pools";
	}
}

/** A transcript is shown from its end, which is of most interest; other texts from their beginning. */
const firstRow = (shows: InspectorView["shows"]): number | undefined => (shows === "transcript" ? undefined : 0);
