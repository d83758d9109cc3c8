import type { RunView } from "../../deliver/run-view.ts";
import type { RunInfo } from "../../operate/info.ts";
import type { RunSpan } from "../../operate/run-spans.ts";
import type { RunSummary } from "../../operate/runs.ts";
import type { ChangedFile, ChangesState } from "../../run/changes.ts";
import type { SandboxReport } from "../../run/sandbox-report.ts";
import type { OpenQuestion } from "./actions.ts";
import type { ACTION_ROUTES } from "./routes.ts";

export type { RunSpan };

/** The numbers on top, and the open runs. */
export interface Overview {
	/** When these numbers were taken. */
	at: number;
	running: number;
	queued: number;
	/** How many runs wait for the user's answer. */
	asking: number;
	/** Since midnight. Cost counts the runs that ended or are open today, as a whole. */
	today: { ended: number; failed: number; cost: number; tokens: number };
	total: number;
	/** All open runs, newest first; 200 at most. */
	open: PageRun[];
	/** Every agent and folder with runs in the ledger, for filters; 200 at most of each. */
	agents: string[];
	folders: string[];
	/** Runs whose record cannot be read, and why. */
	unreadable?: { runId: string; problem: string }[];
}

/** One run in the list and in the waterfall. */
export interface PageRun extends RunSummary {
	/** The order of admission: the list is sorted by it, newest first. */
	seq: number;
	/** The spans to draw, oldest first, without gaps from its creation to its end, or to now. */
	spans: RunSpan[];
	/** The state of its changes, if it made any. */
	changes?: ChangesState;
	/** Its session was archived. */
	archived?: true;
}

export interface RunQuery {
	/** Any of: queued, running, stopping, ended; separated by commas. */
	phase?: string;
	/** success, error, timeout, unknown as `RunView` has them; `failed` means every status but success. */
	status?: string;
	agent?: string;
	cwd?: string;
	/** The conversation that asked. */
	session?: string;
	/** In the task, the label, the agent or the run's id. */
	text?: string;
	/** 1 to 200; 100 by default. */
	limit?: number;
	/** `next` of the previous page. */
	before?: number;
}

export interface RunPage {
	runs: PageRun[];
	/** How many match, shown or not. */
	total: number;
	/** Absent on the last page. */
	next?: number;
}

/** Everything that is known about one run. */
export interface RunDetail extends RunInfo, Pick<PageRun, "seq" | "spans"> {
	/** The whole task: `task` is cut. */
	wholeTask: string;
	/** False if an older pi-geon ran some of its attempts without recording their times. */
	attemptsKnown: boolean;
	hops: { from: string; to: string; words: string }[];
	sandboxReport?: SandboxReport;
	questions: OpenQuestion[];
	changesView?: ChangesInDetail;
	/** Why its changes cannot be shown, although it had a tree. */
	changesProblem?: string;
	/** The other runs of the same child session, oldest first; 100 at most. */
	session: Pick<RunView, "runId" | "phase" | "status" | "createdAt">[];
	/** The actions that are possible now. */
	can: Record<keyof typeof ACTION_ROUTES, boolean>;
	/** It has a transcript that can be read. */
	hasTranscript: boolean;
}

export interface ChangesInDetail {
	state: ChangesState;
	files: ChangedFile[];
	total: { files: number; added: number; removed: number };
	branch?: string;
	/** The default name of a branch with the changes. */
	usualBranch: string;
	warnings: string[];
	events: { what: string; by: string; at: number }[];
}

export interface Diff {
	runId: string;
	/** As git writes it. */
	text: string;
	/** How many bytes of it are not shown. */
	cutBytes: number;
	/** The file that has all of it. */
	patch: string;
}

/** The file formats that the page offers, a subset of those of `pi-geon export`. */
export type PageFormat = "html" | "md" | "json";

/** A run as a file to share. */
export interface Exported {
	/** The name of the file. */
	name: string;
	text: string;
}
