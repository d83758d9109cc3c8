import { findRun } from "../../ledger/records.ts";
import { findSession, type SessionRecord } from "../../ledger/sessions.ts";
import { transcriptOf } from "../../operate/messages.ts";
import type { RunId } from "../../run/ids.ts";
import type { OpenQuestion } from "../api/actions.ts";
import type { LiveEvents } from "../api/live.ts";
import type { PageRun } from "../api/runs.ts";
import { childQuestions, dialogQuestions } from "./detail.ts";
import type { EventsViewer, Hub } from "./hub.ts";
import { LedgerAway, type PageLedger } from "./page-ledger.ts";
import type { Transcripts } from "./transcripts.ts";

/** The most items of a transcript in one event. */
const ITEMS_AT_ONCE = 100;

export interface EventsSetup {
	hub: Hub;
	ledger: PageLedger;
	transcripts: Transcripts;
	/** Resolves once the browser can receive more. Until then, changes are combined. */
	send<Name extends keyof LiveEvents>(event: Name, data: LiveEvents[Name]): Promise<void>;
}

/** The request of a page. */
export interface Looked {
	run?: RunId;
	/** The first item of its transcript that the page does not have. */
	after?: number;
}

/**
 * Sends changes to one page. It compares the current state with what was sent, and sends the difference, so that a page that
 * reads slowly gets fewer and larger pieces, and nothing piles up for it.
 */
export class PageEvents implements EventsViewer {
	readonly #setup: EventsSetup;
	readonly #looked: Looked;
	#news = Promise.withResolvers<void>();
	#sentMarks: ReadonlyMap<RunId, string> | undefined;
	#session: Pick<SessionRecord, "file" | "archivedAt"> | undefined;
	#ofChild: OpenQuestion[] = [];
	#transcript: { version: string | undefined; next: number | undefined };
	/** The last data of each event, as it was sent. */
	readonly #sent = new Map<keyof LiveEvents, string>();

	constructor(setup: EventsSetup, looked: Looked) {
		this.#setup = setup;
		this.#looked = looked;
		this.#transcript = { version: undefined, next: looked.after };
	}

	wake(): void {
		this.#news.resolve();
	}

	/** Runs until the page leaves. */
	async tell(left: AbortSignal): Promise<void> {
		const { hub } = this.#setup;
		left.addEventListener("abort", () => this.wake(), { once: true });
		await hub.join(this, this.#looked.run);
		try {
			while (!left.aborted) {
				this.#news = Promise.withResolvers<void>();
				await this.#tellNews();
				await this.#news.promise;
			}
		} finally {
			hub.leave(this);
		}
	}

	async #tellNews(): Promise<void> {
		const { hub } = this.#setup;
		const { ledger, overview, marks } = hub.picture;
		await this.#sendIfNew("ledger", ledger);
		if (ledger.state !== "ok") return;
		try {
			if (overview) await this.#sendIfNew("overview", overview);
			if (this.#sentMarks !== marks) await this.#tellRuns(marks);
			await this.#tellRun();
		} catch (error) {
			// Continue: the next look reports the state of the ledger.
			if (!(error instanceof LedgerAway)) throw error;
		}
	}

	async #tellRuns(marks: ReadonlyMap<RunId, string>): Promise<void> {
		const { hub, ledger, send } = this.#setup;
		const before = this.#sentMarks;
		this.#sentMarks = marks;
		const { run } = this.#looked;
		if (before) {
			const news = await ledger.read((opened) => {
				const changed = [...marks].filter(([id, mark]) => before.get(id) !== mark);
				return {
					runs: changed.flatMap(([id, mark]): PageRun | PageRun[] => hub.row(id, mark, opened) ?? []),
					runIds: hub.removed(
						[...before.keys()].filter((id) => !marks.has(id)),
						opened,
					),
				};
			});
			if (news.runs.length > 0) await send("runs", { runs: news.runs });
			if (news.runIds.length > 0) await send("removed", { runIds: news.runIds });
		}
		if (run === undefined || before?.get(run) === marks.get(run)) return;
		const detail = await ledger.read((opened) => {
			const record = findRun(opened, run);
			this.#session = record && (findSession(opened, record.sessionId) ?? record.plan.session);
			this.#ofChild = record ? childQuestions(record, { ledger: opened }) : [];
			return record && hub.detail(record, opened);
		});
		if (detail) await send("run", detail);
	}

	/** The live parts of the shown run. */
	async #tellRun(): Promise<void> {
		const { hub } = this.#setup;
		const { run: runId } = this.#looked;
		if (runId === undefined) return;
		await this.#tellTranscript(runId);
		const live = hub.live(runId);
		if (live?.progress) await this.#sendIfNew("progress", { runId, progress: live.progress });
		const questions = [...this.#ofChild, ...dialogQuestions(live?.asks ?? new Map())];
		if (questions.length > 0 || this.#sent.has("questions")) await this.#sendIfNew("questions", { runId, questions });
	}

	async #tellTranscript(runId: RunId): Promise<void> {
		const { transcripts, send } = this.#setup;
		const path = this.#session && transcriptOf(this.#session);
		const { version, total } = await transcripts.standing(path);
		const known = this.#transcript;
		if (known.version === undefined) {
			this.#transcript = { version, next: Math.min(known.next ?? total, total) };
		} else if (known.version !== version) {
			// There was none before, so nothing was replaced.
			const wasNone = known.version === "none";
			const page = await transcripts.page(
				path,
				wasNone ? { after: 0, limit: ITEMS_AT_ONCE } : { limit: ITEMS_AT_ONCE },
			);
			this.#transcript = { version: page.version, next: page.from + page.items.length };
			await send("transcript", { runId, ...page });
		}
		while ((this.#transcript.next ?? 0) < total) {
			const page = await transcripts.page(path, { after: this.#transcript.next ?? 0, limit: ITEMS_AT_ONCE });
			if (page.version !== this.#transcript.version || page.items.length === 0) return;
			this.#transcript.next = page.from + page.items.length;
			await send("transcript", { runId, ...page });
		}
	}

	async #sendIfNew<Name extends keyof LiveEvents>(event: Name, data: LiveEvents[Name]): Promise<void> {
		const now = JSON.stringify(data);
		if (this.#sent.get(event) === now) return;
		this.#sent.set(event, now);
		await this.#setup.send(event, data);
	}
}
