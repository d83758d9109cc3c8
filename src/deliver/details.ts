import type { ReportedChanges } from "../run/changes.ts";
import type { SubagentError } from "../run/errors.ts";
import type { RunId, SessionId } from "../run/ids.ts";
import type { Cause, ContextUse, DisplayItem, Finalized, TimeoutReason } from "../run/outcome.ts";
import type { Redacted } from "../run/redacted.ts";
import type { SandboxReport } from "../run/sandbox-report.ts";
import type { Usage } from "../run/usage.ts";

/** The `details` of a `subagent` tool result. */
export interface SubagentDetails {
	/** The version of these details, see `stored-details.ts`. */
	version: number;
	/** management: refused whatever the request, because nothing may be delegated here. */
	mode: "single" | "management";
	runId?: RunId;
	sessionId?: SessionId;
	finalized?: Finalized;
	/** At most one. */
	results: SingleResult[];
	error?: SubagentError;
	/**
	 * The user sent the run to the background. Not called `runId`: in every version, a result with that field says how the
	 * run ended, but this run has not been reported yet.
	 */
	continues?: { runId: RunId };
	/** In partial updates only. */
	streaming?: Streaming;
}

export interface SingleResult {
	agent: string;
	task: Redacted;
	/** 0 finished properly, 124 timed out, 130 stopped, anything else failed. */
	exitCode: number;
	/** Why it ended: a closed set. */
	cause: Cause;
	usage: Usage;
	error?: Redacted;
	/** What the requester should know although it did not change the ending; absent if there are no warnings. */
	warnings?: Redacted[];
	sessionFile?: string;
	output?: Redacted;
	displayItems?: DisplayItem[];
	timeoutReason?: TimeoutReason;
	/** After a failure: the type of the child's last event, as pi calls it. */
	lastEvent?: Redacted;
	/** provider/id of the model that really answered. */
	model?: Redacted;
	attempts?: number;
	/** From the first claim to the end. */
	durationMs?: number;
	context?: ContextUse;
	/** What confined the run. */
	sandbox?: SandboxReport<Redacted>;
	/**
	 * What it changed in its tree; absent if it had none. The changes reach the checkout only when the user applies them.
	 */
	changes?: ReportedChanges<Redacted>;
}

export interface Streaming {
	displayItems: DisplayItem[];
	usage: Usage;
	turnCount: number;
	model?: Redacted;
	/** When the run was first claimed; absent while it waits. */
	startedAt?: number;
	context?: ContextUse;
	/** Present while it is queued for a place: how many runs are ahead of it. */
	queuePosition?: number;
	/** Present while it has a place and waits for its host. */
	starting?: boolean;
}
