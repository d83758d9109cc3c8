import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component, Focusable, TUI } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import type { RunSources } from "../../operate/runs.ts";
import { isRunId, type RunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import type { PoolLook } from "../../run/pool-status.ts";
import type { LiveRuns, Viewer } from "../../supervise/live-runs.ts";
import type { Done, RunActions, SessionToOpen } from "./actions.ts";
import { changesKeys } from "./changes-keys.ts";
import { type Action, actionOf } from "./keys.ts";
import { poolsReader } from "./pools.ts";
import { nameIn, PromptLine } from "./prompt-line.ts";
import { type RunRows, runRows } from "./run-rows.ts";
import { drawScreen, type InspectorView, type Screen } from "./screen.ts";
import { selectedRun } from "./selected-run.ts";
import { transcriptPainter } from "./transcript-lines.ts";

const REFRESH_EVERY_MS = 100;
const TICK_EVERY_MS = 1000;
const LONGEST_NOTICE = 200;
/** Long enough to be read. */
const NOTICE_STAYS_MS = 6000;

export interface InspectorResult {
	/** The session file that the user wants to continue with. */
	open?: SessionToOpen;
}

interface InspectorSetup {
	tui: TUI;
	theme: Theme;
	live: LiveRuns;
	parentSession: string;
	/** The directory of the session. */
	cwd: string;
	/** Unsent messages. */
	drafts: Map<RunId, string>;
	sources: RunSources;
	actions: RunActions;
	/** The status of the configured pools. */
	lookAtPools(): Promise<PoolLook[]>;
	done: (result: InspectorResult) => void;
}

/** The runs of this session, with the selected one's transcript, over the whole screen. */
export class Inspector implements Component, Focusable, Viewer {
	readonly #setup: InspectorSetup;
	readonly #prompt: PromptLine;
	readonly #changes: ReturnType<typeof changesKeys>;
	#readRows: () => RunRows;
	readonly #readSelected: (record: RunRecord) => InspectorView["run"];
	readonly #pools: ReturnType<typeof poolsReader>;
	readonly #paintTranscript = transcriptPainter();
	readonly #detach: () => void;
	readonly #clock: NodeJS.Timeout;
	#refreshing: NodeJS.Timeout | undefined;
	#isFocused = false;
	#isClosed = false;
	#selectedId: RunId | undefined;
	#rowsReadAt = 0;
	#noticedAt = 0;
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
	/** From the last time that it was drawn. */
	#screen: Screen = { lines: [], total: 0, height: 1, below: 0, listed: 1 };

	constructor(setup: InspectorSetup) {
		this.#setup = setup;
		this.#prompt = new PromptLine(setup.drafts);
		this.#changes = changesKeys({
			actions: setup.actions,
			selectedName: () => nameIn(this.#view.run),
			notify: (notice) => this.#notify(notice),
			done: (done) => this.#done(done),
			tell: (action) => this.#tell(action),
			ask: (question, asked) => this.#ask(question, asked),
			showDiff: (record, lines) => this.#showDiff(record, lines),
		});
		this.#pools = poolsReader(setup.lookAtPools, (pools) => {
			this.#show({ pools });
			this.changed();
		});
		this.#readRows = runRows({ parentSession: setup.parentSession }, setup.sources);
		this.#readSelected = selectedRun(setup.sources, setup.live);
		this.#detach = setup.live.attach(this);
		this.#clock = setInterval(() => this.changed(), TICK_EVERY_MS).unref();
		this.#refresh();
	}

	/** A question of a child takes the focus. It is below, and to make it readable this shows nothing meanwhile. */
	get focused(): boolean {
		return this.#isFocused;
	}

	set focused(isFocused: boolean) {
		this.#isFocused = isFocused;
		this.#prompt.focused = isFocused;
	}

	shows(id: RunId): boolean {
		return id === this.#selectedId;
	}

	changed(): void {
		if (this.#isClosed) return;
		this.#refreshing ??= setTimeout(() => this.#refresh(), REFRESH_EVERY_MS).unref();
	}

	close(result: InspectorResult = {}): void {
		if (this.#isClosed) return;
		this.dispose();
		this.#setup.done(result);
	}

	dispose(): void {
		this.#isClosed = true;
		this.#detach();
		clearInterval(this.#clock);
		clearTimeout(this.#refreshing);
	}

	invalidate(): void {
		// Nothing that was drawn is cached except the transcript, which is drawn again for another theme.
	}

	render(width: number): string[] {
		if (!this.#isFocused) return [];
		const { theme, tui } = this.#setup;
		const { question, inputLine } = this.#prompt;
		const view = { ...this.#view, question };
		this.#screen = drawScreen(view, {
			theme,
			width,
			height: tui.terminal.rows,
			now: Date.now(),
			paintTranscript: this.#paintTranscript,
			inputLine,
		});
		return this.#screen.lines;
	}

	handleInput(data: string): void {
		this.#guarded(() => this.#take(data));
		this.#setup.tui.requestRender();
	}

	#take(data: string): void {
		if (this.#prompt.isUsed) return void this.#prompt.take(data);
		const action = actionOf(data);
		this.#show({ notice: "" });
		if (action) this.#handlers[action]();
	}

	/** A ledger that is locked for long, or an unreadable file, is reported, and is not a reason to end pi. */
	#guarded(act: () => void): void {
		try {
			act();
		} catch (error) {
			this.#notify(messageOf(error));
		}
	}

	readonly #handlers: Record<Action, () => void> = {
		up: () => (this.#isListed() ? this.#select(this.#view.selected - 1) : this.#scroll(-1)),
		down: () => (this.#isListed() ? this.#select(this.#view.selected + 1) : this.#scroll(1)),
		pageUp: () => this.#turnPage(-1),
		pageDown: () => this.#turnPage(1),
		first: () => (this.#isListed() ? this.#select(0) : this.#show({ top: 0 })),
		last: () => (this.#isListed() ? this.#select(this.#view.rows.length - 1) : this.#show({ top: undefined })),
		follow: () => this.#show({ top: undefined, shows: "transcript" }),
		enter: () => this.#withRun(() => this.#show({ pane: "run" })),
		otherPane: () => this.#show({ pane: this.#view.pane === "list" && this.#view.run ? "run" : "list" }),
		back: () => this.#goBack(),
		close: () => this.close(),
		fold: () => this.#show({ unfolded: !this.#view.unfolded }),
		facts: () => this.#withRun(() => this.#toggle("facts", "run")),
		pools: () => {
			this.#toggle("pools", this.#view.pane);
			this.#refresh();
		},
		help: () => this.#toggle("help", this.#view.pane),
		message: () => this.#withRun((record) => this.#write(record)),
		stop: () => this.#withRun((record) => this.#askStop(record)),
		diff: () => this.#withRun((record) => this.#toggleDiff(record)),
		apply: () => this.#withRun((record) => this.#changes.askApply(record)),
		scope: () => this.#changeScope(),
		copy: () => this.#withRun((record) => this.#tell(this.#setup.actions.copy(record))),
		open: () => this.#withRun((record) => this.#tell(this.#setup.actions.open(record))),
	};

	#withRun(act: (record: RunRecord) => void): void {
		const record = this.#record();
		if (record) act(record);
	}

	#toggle(shows: "facts" | "help" | "diff" | "pools", pane: InspectorView["pane"]): void {
		const next = this.#view.shows === shows ? "transcript" : shows;
		this.#show({ shows: next, top: firstRow(next), pane });
	}

	#goBack(): void {
		if (this.#coversList()) this.#show({ shows: "transcript", top: undefined });
		else if (this.#view.pane === "run") this.#show({ pane: "list" });
		else this.close();
	}

	#isListed(): boolean {
		return this.#view.pane === "list" && !this.#coversList();
	}

	#coversList(): boolean {
		return this.#view.shows === "help" || this.#view.shows === "pools";
	}

	#show(change: Partial<InspectorView>): void {
		this.#view = { ...this.#view, ...change };
	}

	#notify(notice: string): void {
		this.#noticedAt = Date.now();
		this.#show({ notice: inOneLine(notice).slice(0, LONGEST_NOTICE) });
	}

	/** Switches between the runs of this session and those of all sessions in its folder. */
	#changeScope(): void {
		const { parentSession, cwd, sources } = this.#setup;
		const scope = this.#view.scope === "session" ? "folder" : "session";
		this.#readRows = runRows(scope === "folder" ? { cwd } : { parentSession }, sources);
		this.#show({ scope, pane: "list", shows: "transcript", top: undefined });
		this.#readList();
		this.#readRun();
	}

	#select(index: number): void {
		const row = this.#view.rows[Math.max(0, Math.min(index, this.#view.rows.length - 1))];
		if (!row || !isRunId(row.runId) || row.runId === this.#selectedId) return;
		this.#selectedId = row.runId;
		if (this.#view.shows === "diff") this.#show({ shows: "transcript" });
		this.#show({ selected: this.#view.rows.indexOf(row), top: firstRow(this.#view.shows) });
		this.#readRun();
	}

	#turnPage(direction: 1 | -1): void {
		const { height, listed } = this.#screen;
		if (this.#isListed()) this.#select(this.#view.selected + direction * listed);
		else this.#scroll(direction * height);
	}

	/** Scrolling to the end follows the text again. */
	#scroll(by: number): void {
		const { total, height } = this.#screen;
		const last = Math.max(0, total - height);
		const top = Math.max(0, Math.min((this.#view.top ?? last) + by, last));
		this.#show({ top: top === last ? undefined : top });
	}

	#write(record: RunRecord): void {
		const isEnded = record.run.state === "ended";
		this.#prompt.write({
			to: record.run.id,
			onSend: (text) => {
				this.#show({ notice: "" });
				this.#tell(this.#setup.actions.message(record, text));
			},
			onLeave: (isKept) => this.#notify(isKept ? "Not sent. m shows your draft again." : ""),
		});
		this.#notify(`${isEnded ? "Resume" : "Steer"} ${nameIn(this.#view.run)} (enter sends):`);
	}

	#askStop({ run }: RunRecord): void {
		if (run.state === "ended") return void this.#notify("It has finished already.");
		this.#ask(`Stop ${nameIn(this.#view.run)}? y/n`, {
			onYes: () => {
				const record = findRun(this.#setup.sources.ledger, run.id);
				if (record) this.#done(this.#setup.actions.stop(record));
			},
			otherwise: "Not stopped.",
		});
	}

	#ask(question: string, { onYes, otherwise }: { onYes(): void; otherwise: string }): void {
		this.#prompt.ask(question, { onYes, onNo: () => this.#notify(otherwise) });
	}

	#toggleDiff(record: RunRecord): void {
		if (this.#view.shows === "diff") this.#toggle("diff", "run");
		else this.#changes.readDiff(record);
	}

	#showDiff(record: RunRecord, lines: string[]): void {
		if (this.#selectedId !== record.run.id) return;
		this.#show({ diff: lines });
		if (this.#view.shows !== "diff") this.#toggle("diff", "run");
		this.#setup.tui.requestRender();
	}

	#tell(action: Promise<Done>): void {
		action.catch((error: unknown): Done => ({ notice: messageOf(error) })).then((done) => this.#done(done));
	}

	#done({ notice, select, open }: Done): void {
		if (this.#isClosed) return;
		if (open !== undefined) return void this.close({ open });
		if (select !== undefined && isRunId(select)) {
			this.#selectedId = select;
			this.#show({ top: firstRow(this.#view.shows) });
		}
		this.#notify(notice);
		this.#rowsReadAt = 0;
		this.#refresh();
	}

	#record(): RunRecord | undefined {
		return this.#selectedId && findRun(this.#setup.sources.ledger, this.#selectedId);
	}

	/** Reads the current state. The list is read at most once per tick of the clock: it may be long. */
	#refresh(): void {
		clearTimeout(this.#refreshing);
		this.#refreshing = undefined;
		if (this.#isClosed) return;
		const isOld = Date.now() - this.#noticedAt >= NOTICE_STAYS_MS;
		if (isOld && !this.#prompt.isUsed && this.#view.notice !== "") this.#show({ notice: "" });
		this.#guarded(() => {
			if (Date.now() - this.#rowsReadAt >= TICK_EVERY_MS - REFRESH_EVERY_MS) this.#readList();
			this.#readRun();
		});
		if (this.#view.shows === "pools") this.#pools.read();
		this.#setup.tui.requestRender();
	}

	/** The selected run stays selected, wherever it is in the list now. */
	#readList(): void {
		this.#rowsReadAt = Date.now();
		const { rows, count } = this.#readRows();
		const index = rows.findIndex(({ runId }) => runId === this.#selectedId);
		const selected = Math.max(0, index);
		const id = rows[selected]?.runId;
		this.#selectedId = id !== undefined && isRunId(id) ? id : undefined;
		this.#show({ rows, count, selected });
	}

	#readRun(): void {
		const record = this.#record();
		this.#show({ run: record && this.#readSelected(record) });
	}
}

/** The end of a transcript is of most interest; the other texts are read from their beginning. */
const firstRow = (shows: InspectorView["shows"]): number | undefined => (shows === "transcript" ? undefined : 0);
