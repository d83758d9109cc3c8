import type { Progress } from "../../processes/protocol.ts";
import type { OpenQuestion } from "./actions.ts";
import type { LedgerState } from "./routes.ts";
import type { Overview, PageRun, RunDetail } from "./runs.ts";
import type { TranscriptPage } from "./transcript.ts";

/** Each page has one stream: a browser opens at most six connections to a server. A hidden page should close its stream. */
export interface EventsQuery {
	/** The run that the page shows: its transcript, its live text and its questions are included. */
	run?: string;
	/** The first transcript item that the page does not have. Absent: from the current end on. */
	after?: number;
}

/** `event` → `data` of the stream `events`. After connecting, `ledger` and `overview` come at once, `runs` when some changed. */
export interface LiveEvents {
	ledger: LedgerState;
	overview: Overview;
	/** New runs, and runs that changed since the stream was opened. A page that reconnects fetches its list again. */
	runs: { runs: PageRun[] };
	/** These runs are no longer in the ledger. */
	removed: { runIds: string[] };
	/** The detail of the shown run has changed. */
	run: RunDetail;
	/** Further items; or with another `version`, the end of a transcript that was replaced. */
	transcript: TranscriptPage & { runId: string };
	/** What the child is saying and doing, about ten times a second while it changes. */
	progress: { runId: string; progress: Progress };
	/** All questions of that run that are open now. */
	questions: { runId: string; questions: OpenQuestion[] };
	/** The server is exiting. */
	bye: Record<string, never>;
}
