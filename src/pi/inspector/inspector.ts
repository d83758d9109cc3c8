import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component, Focusable, TUI } from "@earendil-works/pi-tui";
import { findRun, type RunRecord } from "../../ledger/records.ts";
import type { RunSources } from "../../operate/runs.ts";
import { isRunId, type RunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import type { PoolLook } from "../../run/pool-status.ts";
import type { LiveRuns, Viewer } from "../../supervise/live-runs.ts";
import type { Done, RunActions, SessionToOpen } from "./actions.ts";
import { changesKeys } from "./changes-keys.ts";
import { type Action, actionOf } from "./keys.ts";
import { Navigation } from "./navigation.ts";
import { poolsReader } from "./pools.ts";
import { nameIn, PromptLine } from "./prompt-line.ts";
import { type RunRows, runRows } from "./run-rows.ts";
import { drawScreen, type InspectorView } from "./screen.ts";
import { selectedRun } from "./selected-run.ts";
import { transcriptPainter } from "./transcript-lines.ts";

const REFRESH_EVERY_MS = 100;
const TICK_EVERY_MS = 1000;

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
	readonly #navigation = new Navigation();
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
	#rowsReadAt = 0;

	constructor(setup: InspectorSetup) {
		this.#setup = setup;
		this.#prompt = new PromptLine(setup.drafts);
		this.#changes = changesKeys({
			actions: setup.actions,
			selectedName: () => nameIn(this.#navigation.view.run),
			notify: (notice) => this.#navigation.notify(notice),
			done: (done) => this.#done(done),
			tell: (action) => this.#tell(action),
			ask: (question, asked) => this.#ask(question, asked),
			showDiff: (record, lines) => this.#showDiff(record, lines),
		});
		this.#pools = poolsReader(setup.lookAtPools, (pools) => {
			this.#navigation.show({ pools });
			this.changed();
		});
		this.#readRows = runRows({ parentSession: setup.parentSession }, setup.sources);
		this.#readSelected = selectedRun(setup.sources, setup.live);
		this.#detach = setup.live.attach(this);
		this.#clock = setInterval(() => this.changed(), TICK_EVERY_MS).unref();
		this.#refresh();
	}

	/** A child's question takes the focus. Its dialog is below, so the inspector shows nothing, to make it readable. */
	get focused(): boolean {
		return this.#isFocused;
	}

	set focused(isFocused: boolean) {
		this.#isFocused = isFocused;
		this.#prompt.focused = isFocused;
	}

	shows(id: RunId): boolean {
		return id === this.#navigation.selectedId;
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
		// Only the transcript is cached, and it is drawn again for another theme.
	}

	render(width: number): string[] {
		if (!this.#isFocused) return [];
		const { theme, tui } = this.#setup;
		const { question, inputLine } = this.#prompt;
		const view = { ...this.#navigation.view, question };
		const screen = drawScreen(view, {
			theme,
			width,
			height: tui.terminal.rows,
			now: Date.now(),
			paintTranscript: this.#paintTranscript,
			inputLine,
		});
		this.#navigation.drawn(screen);
		return screen.lines;
	}

	handleInput(data: string): void {
		this.#guarded(() => this.#take(data));
		this.#setup.tui.requestRender();
	}

	#take(data: string): void {
		if (this.#prompt.isUsed) return void this.#prompt.take(data);
		const action = actionOf(data);
		this.#navigation.show({ notice: "" });
		if (action) this.#handlers[action]();
	}

	/** Reports errors instead of ending pi: the ledger may be locked for long, or a file unreadable. */
	#guarded(act: () => void): void {
		try {
			act();
		} catch (error) {
			this.#navigation.notify(messageOf(error));
		}
	}

	readonly #handlers: Record<Action, () => void> = {
		up: () => this.#moved(this.#navigation.step(-1)),
		down: () => this.#moved(this.#navigation.step(1)),
		pageUp: () => this.#moved(this.#navigation.turnPage(-1)),
		pageDown: () => this.#moved(this.#navigation.turnPage(1)),
		first: () => this.#moved(this.#navigation.toFirst()),
		last: () => this.#moved(this.#navigation.toLast()),
		follow: () => this.#navigation.show({ top: undefined, shows: "transcript" }),
		enter: () => this.#withRun(() => this.#navigation.show({ pane: "run" })),
		otherPane: () => this.#navigation.switchPane(),
		back: () => this.#navigation.goBack() || this.close(),
		close: () => this.close(),
		fold: () => this.#navigation.show({ unfolded: !this.#navigation.view.unfolded }),
		facts: () => this.#withRun(() => this.#navigation.toggle("facts", "run")),
		pools: () => {
			this.#navigation.toggle("pools", this.#navigation.view.pane);
			this.#refresh();
		},
		help: () => this.#navigation.toggle("help", this.#navigation.view.pane),
		message: () => this.#withRun((record) => this.#write(record)),
		stop: () => this.#withRun((record) => this.#askStop(record)),
		diff: () => this.#withRun((record) => this.#toggleDiff(record)),
		apply: () => this.#withRun((record) => this.#changes.askApply(record)),
		scope: () => this.#changeScope(),
		copy: () => this.#withRun((record) => this.#tell(this.#setup.actions.copy(record))),
		open: () => this.#withRun((record) => this.#tell(this.#setup.actions.open(record))),
	};

	#moved(isOther: boolean): void {
		if (isOther) this.#readRun();
	}

	#withRun(act: (record: RunRecord) => void): void {
		const record = this.#record();
		if (record) act(record);
	}

	/** Switches between the runs of this session and those of all sessions in its folder. */
	#changeScope(): void {
		const { parentSession, cwd, sources } = this.#setup;
		const scope = this.#navigation.view.scope === "session" ? "folder" : "session";
		this.#readRows = runRows(scope === "folder" ? { cwd } : { parentSession }, sources);
		this.#navigation.show({ scope, pane: "list", shows: "transcript", top: undefined });
		this.#readList();
		this.#readRun();
	}

	#write(record: RunRecord): void {
		const isEnded = record.run.state === "ended";
		this.#prompt.write({
			to: record.run.id,
			onSend: (text) => {
				this.#navigation.show({ notice: "" });
				this.#tell(this.#setup.actions.message(record, text));
			},
			onLeave: (isKept) => this.#navigation.notify(isKept ? "Not sent. m shows your draft again." : ""),
		});
		this.#navigation.notify(`${isEnded ? "Resume" : "Steer"} ${nameIn(this.#navigation.view.run)} (enter sends):`);
	}

	#askStop({ run }: RunRecord): void {
		if (run.state === "ended") return void this.#navigation.notify("It has finished already.");
		this.#ask(`Stop ${nameIn(this.#navigation.view.run)}? y/n`, {
			onYes: () => {
				const record = findRun(this.#setup.sources.ledger, run.id);
				if (record) this.#done(this.#setup.actions.stop(record));
			},
			otherwise: "Not stopped.",
		});
	}

	#ask(question: string, { onYes, otherwise }: { onYes(): void; otherwise: string }): void {
		this.#prompt.ask(question, { onYes, onNo: () => this.#navigation.notify(otherwise) });
	}

	#toggleDiff(record: RunRecord): void {
		if (this.#navigation.view.shows === "diff") this.#navigation.toggle("diff", "run");
		else this.#changes.readDiff(record);
	}

	#showDiff(record: RunRecord, lines: string[]): void {
		if (this.#navigation.selectedId !== record.run.id) return;
		this.#navigation.show({ diff: lines });
		if (this.#navigation.view.shows !== "diff") this.#navigation.toggle("diff", "run");
		this.#setup.tui.requestRender();
	}

	#tell(action: Promise<Done>): void {
		action.catch((error: unknown): Done => ({ notice: messageOf(error) })).then((done) => this.#done(done));
	}

	#done({ notice, select, open }: Done): void {
		if (this.#isClosed) return;
		if (open !== undefined) return void this.close({ open });
		if (select !== undefined && isRunId(select)) this.#navigation.choose(select);
		this.#navigation.notify(notice);
		this.#rowsReadAt = 0;
		this.#refresh();
	}

	#record(): RunRecord | undefined {
		const id = this.#navigation.selectedId;
		return id && findRun(this.#setup.sources.ledger, id);
	}

	/** Reads the current state. The list is read at most once per tick of the clock: it may be long. */
	#refresh(): void {
		clearTimeout(this.#refreshing);
		this.#refreshing = undefined;
		if (this.#isClosed) return;
		if (!this.#prompt.isUsed) this.#navigation.hideOldNotice();
		this.#guarded(() => {
			if (Date.now() - this.#rowsReadAt >= TICK_EVERY_MS - REFRESH_EVERY_MS) this.#readList();
			this.#readRun();
		});
		if (this.#navigation.view.shows === "pools") this.#pools.read();
		this.#setup.tui.requestRender();
	}

	#readList(): void {
		this.#rowsReadAt = Date.now();
		this.#navigation.list(this.#readRows());
	}

	#readRun(): void {
		const record = this.#record();
		this.#navigation.show({ run: record && this.#readSelected(record) });
	}
}
