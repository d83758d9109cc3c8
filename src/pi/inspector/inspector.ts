import type { Theme } from "@earendil-works/pi-coding-agent";
import { type Component, type Focusable, Input, type TUI } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import { findSession } from "../../ledger/sessions.ts";
import { infoOf } from "../../operate/info.ts";
import { transcriptOf } from "../../operate/messages.ts";
import type { RunSources } from "../../operate/runs.ts";
import { isRunId, type RunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import type { LiveRuns, Viewer } from "../../supervise/live-runs.ts";
import type { Done, RunActions, SessionToOpen } from "./actions.ts";
import { type Action, actionOf } from "./keys.ts";
import { type RunRows, runRows } from "./run-rows.ts";
import { drawScreen, type InspectorView, type Screen } from "./screen.ts";
import { Transcript } from "./transcript.ts";
import { transcriptPainter } from "./transcript-lines.ts";

const REFRESH_EVERY_MS = 100;
const TICK_EVERY_MS = 1000;
const LONGEST_NOTICE = 200;
const NO_CHANGES_HERE = "It has no changes: it has no tree of its own, or has not ended, or changed nothing.";

export interface InspectorResult {
	/** The session file that the user wants to go on with. */
	open?: SessionToOpen;
}

interface InspectorSetup {
	tui: TUI;
	theme: Theme;
	live: LiveRuns;
	parentSession: string;
	sources: RunSources;
	actions: RunActions;
	done: (result: InspectorResult) => void;
}

/** A question that y answers. */
interface Asked {
	onYes(): void;
	otherwise: string;
}

/** The runs of this session, and what the selected one says and does, over the whole screen. */
export class Inspector implements Component, Focusable, Viewer {
	readonly #setup: InspectorSetup;
	readonly #readRows: () => RunRows;
	readonly #paintTranscript = transcriptPainter();
	readonly #detach: () => void;
	readonly #clock: NodeJS.Timeout;
	#refreshing: NodeJS.Timeout | undefined;
	#isFocused = false;
	#isClosed = false;
	#selectedId: RunId | undefined;
	#rowsReadAt = 0;
	#transcript: Transcript | undefined;
	/** What the user is doing besides looking. */
	#doing: { kind: "looking" } | { kind: "writing"; input: Input } | ({ kind: "asked" } & Asked) = { kind: "looking" };
	#view: InspectorView = {
		rows: [],
		count: { total: 0, queued: 0, running: 0 },
		selected: 0,
		pane: "list",
		run: undefined,
		shows: "transcript",
		diff: [],
		unfolded: false,
		top: undefined,
		notice: "",
		question: undefined,
	};
	/** Of the last time that it was drawn. */
	#screen: Screen = { lines: [], total: 0, height: 1, below: 0 };

	constructor(setup: InspectorSetup) {
		this.#setup = setup;
		this.#readRows = runRows(setup.parentSession, setup.sources);
		this.#detach = setup.live.attach(this);
		this.#clock = setInterval(() => this.changed(), TICK_EVERY_MS).unref();
		this.#refresh();
	}

	/** A question of a child takes the focus: it is below, so that it can be read, this shows nothing meanwhile. */
	get focused(): boolean {
		return this.#isFocused;
	}

	set focused(isFocused: boolean) {
		this.#isFocused = isFocused;
		if (this.#doing.kind === "writing") this.#doing.input.focused = isFocused;
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
		// Nothing that was drawn is kept, but for the transcript, which is drawn anew with another theme.
	}

	render(width: number): string[] {
		if (!this.#isFocused) return [];
		const { theme, tui } = this.#setup;
		const doing = this.#doing;
		this.#screen = drawScreen(this.#view, {
			theme,
			width,
			height: tui.terminal.rows,
			now: Date.now(),
			paintTranscript: this.#paintTranscript,
			inputLine: doing.kind === "writing" ? (columns) => doing.input.render(columns)[0] ?? "" : undefined,
		});
		return this.#screen.lines;
	}

	handleInput(data: string): void {
		this.#guarded(() => this.#take(data));
		this.#setup.tui.requestRender();
	}

	#take(data: string): void {
		const doing = this.#doing;
		if (doing.kind === "writing") return void doing.input.handleInput(data);
		if (doing.kind === "asked") return void this.#answer(doing, data);
		const action = actionOf(data);
		this.#show({ notice: "" });
		if (action) this.#handlers[action]();
	}

	/** A ledger that is locked for long, a file that cannot be read: said, and no reason to end pi. */
	#guarded(act: () => void): void {
		try {
			act();
		} catch (error) {
			this.#show({ notice: inOneLine(messageOf(error)).slice(0, LONGEST_NOTICE) });
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
		help: () => this.#toggle("help", this.#view.pane),
		message: () => this.#withRun((record) => this.#write(record)),
		stop: () => this.#withRun((record) => this.#askStop(record)),
		diff: () => this.#withRun((record) => this.#showDiff(record)),
		apply: () => this.#withRun((record) => this.#askApply(record)),
		copy: () => this.#withRun((record) => this.#tell(this.#setup.actions.copy(record))),
		open: () => this.#withRun((record) => this.#tell(this.#setup.actions.open(record))),
	};

	#withRun(act: (record: RunRecord) => void): void {
		const record = this.#record();
		if (record) act(record);
	}

	#toggle(shows: "facts" | "help" | "diff", pane: InspectorView["pane"]): void {
		const next = this.#view.shows === shows ? "transcript" : shows;
		this.#show({ shows: next, top: firstRow(next), pane });
	}

	#goBack(): void {
		if (this.#view.shows === "help") this.#show({ shows: "transcript", top: undefined });
		else if (this.#view.pane === "run") this.#show({ pane: "list" });
		else this.close();
	}

	#isListed(): boolean {
		return this.#view.pane === "list" && this.#view.shows !== "help";
	}

	#show(change: Partial<InspectorView>): void {
		this.#view = { ...this.#view, ...change };
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
		const by = direction * this.#screen.height;
		if (this.#isListed()) this.#select(this.#view.selected + by);
		else this.#scroll(by);
	}

	/** Down to the end is to follow again. */
	#scroll(by: number): void {
		const { total, height } = this.#screen;
		const last = Math.max(0, total - height);
		const top = Math.max(0, Math.min((this.#view.top ?? last) + by, last));
		this.#show({ top: top === last ? undefined : top });
	}

	#write(record: RunRecord): void {
		const input = new Input();
		input.focused = this.#isFocused;
		const leave = (notice: string) => {
			this.#doing = { kind: "looking" };
			this.#show({ notice });
		};
		input.onEscape = () => leave("");
		input.onSubmit = (text) => {
			leave("");
			if (text.trim() !== "") this.#tell(this.#setup.actions.message(record, text.trim()));
		};
		this.#doing = { kind: "writing", input };
		this.#show({ notice: record.run.state === "ended" ? "Resume with, enter sends:" : "Steer with, enter sends:" });
	}

	#askStop({ run, plan }: RunRecord): void {
		if (run.state === "ended") return void this.#show({ notice: "It has ended already." });
		this.#ask(`Stop ${inOneLine(plan.agent)} ${run.id}? y/n`, {
			onYes: () => {
				const record = findRun(this.#setup.sources.ledger, run.id);
				if (record) this.#done(this.#setup.actions.stop(record));
			},
			otherwise: "Not stopped.",
		});
	}

	#askApply(record: RunRecord): void {
		const { actions } = this.#setup;
		const state = actions.changesState(record);
		if (state === undefined) return void this.#show({ notice: NO_CHANGES_HERE });
		const undo = state === "applied";
		this.#ask(
			undo ? "Take its changes out of your working tree again? y/n" : "Put its changes into your working tree? y/n",
			{
				onYes: () => this.#tell(actions.apply(record, { undo })),
				otherwise: "Nothing was done.",
			},
		);
	}

	#ask(question: string, asked: Asked): void {
		this.#doing = { kind: "asked", ...asked };
		this.#show({ question });
	}

	#answer({ onYes, otherwise }: Asked, data: string): void {
		this.#doing = { kind: "looking" };
		this.#show({ question: undefined });
		if (data === "y" || data === "Y") onYes();
		else this.#show({ notice: otherwise });
	}

	#showDiff(record: RunRecord): void {
		if (this.#view.shows === "diff") return void this.#toggle("diff", "run");
		if (this.#setup.actions.changesState(record) === undefined) return void this.#show({ notice: NO_CHANGES_HERE });
		this.#setup.actions.diff(record).then(
			(lines) => {
				if (this.#selectedId !== record.run.id) return;
				this.#show({ diff: lines });
				if (this.#view.shows !== "diff") this.#toggle("diff", "run");
				this.#setup.tui.requestRender();
			},
			(error: unknown) => this.#done({ notice: messageOf(error) }),
		);
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
		this.#show({ notice: inOneLine(notice).slice(0, LONGEST_NOTICE) });
		this.#rowsReadAt = 0;
		this.#refresh();
	}

	#record(): RunRecord | undefined {
		return this.#selectedId && findRun(this.#setup.sources.ledger, this.#selectedId);
	}

	/** Reads what there is now. The list no more often than the clock ticks: it may be long. */
	#refresh(): void {
		clearTimeout(this.#refreshing);
		this.#refreshing = undefined;
		if (this.#isClosed) return;
		this.#guarded(() => {
			if (Date.now() - this.#rowsReadAt >= TICK_EVERY_MS - REFRESH_EVERY_MS) this.#readList();
			this.#readRun();
		});
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
		const { sources, live } = this.#setup;
		const record = this.#record();
		if (!record) return void this.#show({ run: undefined });
		const path = transcriptOf(findSession(sources.ledger, record.sessionId) ?? record.plan.session);
		// Put away, or another run's.
		if (path !== this.#transcript?.path) {
			this.#transcript = path === undefined ? undefined : new Transcript(path, sources.redactor.redact);
		}
		const progress = record.run.state === "ended" ? undefined : live.progressOf(record.run.id);
		const info = infoOf(record, sources);
		const transcript = this.#transcript?.read(progress) ?? { items: [], isCut: false };
		this.#show({ run: { info: progress ? { ...info, usage: progress.usage } : info, transcript } });
	}
}

/** What was said last is of most interest; the other texts are read from their beginning. */
const firstRow = (shows: InspectorView["shows"]): number | undefined => (shows === "transcript" ? undefined : 0);
