import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Services } from "../delegate.ts";
import { type RunView, type Standing, viewOf } from "../deliver/run-view.ts";
import { openQuestionOf } from "../ledger/open-questions.ts";
import { findRun } from "../ledger/records.ts";
import { type InQueue, lookAtQueue } from "../operate/queue-position.ts";
import { stateInWords } from "../operate/report/words.ts";
import type { RunId } from "../run/ids.ts";
import { FINALIZE_TOOL } from "../run/outcome.ts";
import { queuedInWords } from "../run/queued-in-words.ts";
import type { Redacted } from "../run/redacted.ts";
import { inputTokens } from "../run/usage.ts";
import type { LiveRuns, Viewer } from "../supervise/live-runs.ts";
import { parentLog } from "./parent-log.ts";
import type { SessionServices } from "./session-services.ts";
import { activity } from "./view/activity.ts";
import { fitted } from "./view/fitted.ts";
import { type WidgetRow, type WidgetView, widgetLines } from "./view/widget-lines.ts";
import { assignSlots } from "./view/widget-slots.ts";

const WIDGET_KEY = "pi-geon";
const MOST_LINES = 5;
/** The rest of a small screen belongs to the conversation. */
const MOST_LINES_ON_A_SMALL_SCREEN = 3;
const SMALL_SCREEN_ROWS = 20;
/** Several children stream at once, and users do not need faster updates. */
const REPAINT_EVERY_MS = 250;
const CLOCK_EVERY_MS = 1000;

export interface WidgetSetup {
	ctx: ExtensionContext;
	services: SessionServices;
	live: LiveRuns;
	/** How to see them all. */
	hint: string;
}

/** The runs of this session that no call waits for, above the editor while there are any. */
export class Widget implements Viewer {
	readonly #setup: WidgetSetup;
	readonly #detach: () => void;
	/** Kept, so that each is redacted only once: a task may be long. */
	readonly #titles = new Map<RunId, Redacted>();
	#slots: RunId[] = [];
	#view: WidgetView | undefined;
	#requestRender = () => {};
	#screenRows = () => process.stdout.rows ?? SMALL_SCREEN_ROWS;
	#repaint: NodeJS.Timeout | undefined;
	#clock: NodeJS.Timeout | undefined;
	#isDisposed = false;

	constructor(setup: WidgetSetup) {
		this.#setup = setup;
		this.#detach = setup.live.attach(this);
		this.changed();
	}

	shows(id: RunId): boolean {
		return this.#slots.includes(id);
	}

	changed(): void {
		if (this.#isDisposed || this.#repaint) return;
		// The widget must not create a ledger.
		if (!this.#view && this.#setup.live.open.length === 0) return;
		this.#repaint = setTimeout(() => void this.#refresh(), this.#view ? REPAINT_EVERY_MS : 0).unref();
	}

	/** This process leaves the session. pi removes the widget from the screen, but not our timers. */
	dispose(): void {
		this.#isDisposed = true;
		this.#detach();
		clearTimeout(this.#repaint);
		this.#hide();
	}

	async #refresh(): Promise<void> {
		const { ctx, services } = this.#setup;
		try {
			const view = await services.use(ctx, async (available) => this.#look(available));
			this.#repaint = undefined;
			if (this.#isDisposed) return;
			if (view) this.#show(view);
			else this.#hide();
		} catch (error) {
			// The ledger may be locked. The announcer reads it too and tells the user; the next change looks again.
			parentLog.warn("the widget could not look at its runs", { error });
			this.#repaint = undefined;
		}
	}

	#look({ ledger, redactor }: Pick<Services, "ledger" | "redactor">): WidgetView | undefined {
		const { open } = this.#setup.live;
		if (this.#isDisposed || open.length === 0) return undefined;
		const known = new Map(this.#slots.map((id) => [id, findRun(ledger, id)]));
		const hasEnded = (id: RunId) => (known.get(id)?.run.state ?? "ended") === "ended";
		// Running ones first: they have something to show.
		const inOrder = [...open].sort((a, b) => Number(a.state === "queued") - Number(b.state === "queued"));
		const capacity = this.#screenRows() < SMALL_SCREEN_ROWS ? MOST_LINES_ON_A_SMALL_SCREEN : MOST_LINES;
		this.#slots = assignSlots(this.#slots, { open: inOrder.map(({ id }) => id), hasEnded, capacity });
		const inQueue = lookAtQueue(ledger);
		const rows = this.#slots.flatMap((id) => {
			const record = known.get(id) ?? findRun(ledger, id);
			if (!record) return [];
			const asks = record.run.state === "ended" ? undefined : openQuestionOf(ledger, id)?.question;
			const view = viewOf(record, redactor);
			return [this.#rowOf(view, { asks, ...inQueue(view) })];
		});
		for (const id of this.#titles.keys()) if (!this.shows(id)) this.#titles.delete(id);
		const others = open.filter(({ id }) => !this.shows(id));
		// The last run has just finished, before the next look at the open ones.
		if (others.length === 0 && rows.every(({ endedAt }) => endedAt !== undefined)) return undefined;
		const queued = others.filter(({ state }) => state === "queued").length;
		return { rows, more: { running: others.length - queued, queued }, hint: this.#setup.hint };
	}

	#rowOf(view: RunView, { asks, queuePosition }: { asks: Redacted | undefined } & InQueue): WidgetRow {
		const { runId, agent, startedAt, endedAt } = view;
		const title = this.#titles.get(runId) ?? view.label ?? view.task;
		this.#titles.set(runId, title);
		const progress = this.#setup.live.progressOf(runId);
		const usage = view.state === "ended" ? view.usage : (progress?.usage ?? view.usage);
		return {
			agent,
			title,
			...(asks !== undefined && view.phase !== "stopping"
				? { look: "asking", doing: `asks you: ${asks}` }
				: { look: lookOf(view), doing: doingOf(view, progress?.displayItems, queuePosition) }),
			startedAt,
			endedAt,
			tokens: inputTokens(usage) + usage.output,
			cost: usage.cost,
		};
	}

	#show(view: WidgetView): void {
		const isNew = this.#view === undefined;
		this.#view = view;
		this.#clock ??= setInterval(() => this.changed(), CLOCK_EVERY_MS).unref();
		if (!isNew) return void this.#requestRender();
		this.#setup.ctx.ui.setWidget(WIDGET_KEY, (tui, theme) => {
			this.#requestRender = () => tui.requestRender();
			this.#screenRows = () => tui.terminal.rows;
			const draw = (width: number) => (this.#view ? widgetLines(this.#view, { theme, width, now: Date.now() }) : []);
			return fitted(draw, { live: true });
		});
	}

	#hide(): void {
		clearInterval(this.#clock);
		this.#clock = undefined;
		this.#slots = [];
		this.#titles.clear();
		if (this.#view) this.#setup.ctx.ui.setWidget(WIDGET_KEY, undefined);
		this.#view = undefined;
		this.#requestRender = () => {};
	}
}

function lookOf({ phase, status }: Standing): WidgetRow["look"] {
	if (phase !== "ended") return phase;
	return status === "success" ? "finished" : "failed";
}

function doingOf(
	view: RunView,
	displayItems: readonly { type: string; name?: string }[] | undefined,
	queuePosition: number | undefined,
): string {
	if (view.phase === "queued") return queuedInWords(queuePosition);
	const state = stateInWords(view);
	if (view.phase !== "running") return state;
	if (displayItems?.at(-1)?.name === FINALIZE_TOOL) return "handing over";
	// For a run that continued without us, the ledger has its latest text.
	const items = displayItems ?? (view.answer === undefined ? [] : [{ type: "text", text: view.answer }]);
	return activity(items, 1).lines[0] ?? state;
}
