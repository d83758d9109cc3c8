import type { ReportedChanges } from "./changes.ts";
import type { SubagentError } from "./errors.ts";
import type { Redacted } from "./redacted.ts";
import type { SandboxReport } from "./sandbox-report.ts";
import type { Usage } from "./usage.ts";

/** One thing a child said or did, for people watching. */
export type DisplayItem<Text extends string = Redacted> =
	| { type: "text"; text: Text }
	| { type: "toolCall"; name: Text; args: Record<string, unknown> };

/** How full the child's context window is, as pi estimates it. */
export interface ContextUse {
	tokens: number;
	window: number;
}

export type TimeoutReason = "runtime" | "idle" | "tool";

/** The internal tool with which a child ends its work. It exists in children only. */
export const FINALIZE_TOOL = "subagent_finalize";

/** What the child passed to the finalize tool. `value` is the parsed result of an agent with an `outputSchema`. */
export type Finalized<Text extends string = Redacted> =
	| { status: "SUCCESS"; result: Text; value?: unknown }
	| { status: "ERROR"; error: Text; result?: Text };

/**
 * Why a run ended. Every possible ending races, and the first cause is kept: what happens during teardown
 * (an aborted request, a killed shell) must not rewrite the reason.
 */
export type EndCause =
	| { kind: "finalized"; finalized: Extract<Finalized<string>, { status: "SUCCESS" }> }
	| { kind: "reported_error"; finalized: Extract<Finalized<string>, { status: "ERROR" }> }
	| { kind: "not_finalized"; problem: string }
	| { kind: "uncheckable"; file: string; problem: string; result: string }
	| { kind: "timeout"; limit: TimeoutReason; afterMs: number }
	| { kind: "stopped"; by: string }
	| { kind: "budget"; limit: string }
	| { kind: "output_limit"; limit: string }
	| { kind: "provider"; message: string }
	| { kind: "refused"; error: SubagentError }
	/** `diskFull`: the machine had no room, so another one can continue. */
	| { kind: "crashed"; message: string; diskFull?: true }
	/** It finished, but its changes could not be brought home. */
	| { kind: "not_harvested"; problem: string; tree: string; result: string }
	| { kind: "lost"; message: string };

/**
 * The kind of the cause, kept in the outcome. Code that distinguishes endings has to handle each of them, so that a new one
 * does not compile until it does. The ledger itself declares the last: the row of the run could not be read.
 */
export type Cause = EndCause["kind"] | "unreadable";
export type FailureCause = Exclude<Cause, "finalized">;

interface OutcomeFacts<Text extends string> {
	usage: Usage;
	displayItems: DisplayItem<Text>[];
	/** How many attempts the run has had, the first included. pi's own retries of a request are not attempts. */
	attempts: number;
	/** provider/id of the model that really answered. */
	model?: Text;
	context?: ContextUse;
	/** The whole answer, or what there was of it; never truncated. */
	output?: Text;
	/** What confined the run; absent if its sandbox was never set up. */
	sandbox?: SandboxReport<Text>;
	/** What it changed in its tree; absent if it had none. */
	changes?: ReportedChanges<Text>;
	/** Things the requester should know that did not change the ending. */
	warnings: Text[];
}

export interface SuccessOutcome<Text extends string = Redacted> extends OutcomeFacts<Text> {
	status: "success";
	cause: "finalized";
	exitCode: 0;
	finalized: Extract<Finalized<Text>, { status: "SUCCESS" }>;
	output: Text;
}

export interface FailureOutcome<Text extends string = Redacted> extends OutcomeFacts<Text> {
	status: "error" | "timeout";
	cause: FailureCause;
	/** Never 0: 124 timed out, 130 stopped, 1 anything else. */
	exitCode: 1 | 124 | 130;
	/** For the requester. Its `reason` tells people and programs outside what happened; our code uses `cause`. */
	error: SubagentError<Text>;
	finalized?: Extract<Finalized<Text>, { status: "ERROR" }>;
	timeoutReason?: TimeoutReason;
	/** The type of the child's last event, as pi calls it; absent if none was seen. */
	lastEvent?: Text;
}

/** The `reason` of an error that the machine caused, not the task. */
export const DISK_FULL = "disk_full";

/**
 * The one ending of a run. Only `collect/` makes these, as `Outcome<string>`; every outcome that is stored or shown is
 * redacted.
 */
export type Outcome<Text extends string = Redacted> = SuccessOutcome<Text> | FailureOutcome<Text>;
