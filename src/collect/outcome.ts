import type { SubagentError } from "../run/errors.ts";
import { type Hop, hopInWords } from "../run/hop.ts";
import type { RunId } from "../run/ids.ts";
import {
	type ContextUse,
	DISK_FULL,
	type DisplayItem,
	type EndCause,
	type FailureOutcome,
	FINALIZE_TOOL,
	type Outcome,
} from "../run/outcome.ts";
import type { Redacted } from "../run/redacted.ts";
import type { SandboxReport } from "../run/sandbox-report.ts";
import { redactOwnParts } from "../run/unredacted-parts.ts";
import type { Usage } from "../run/usage.ts";
import { providerRemedy } from "./provider-remedy.ts";

/** What is known about a run when it ends, no matter which process ends it. */
export interface RunEvidence {
	usage: Usage;
	displayItems: DisplayItem<string>[];
	attempts: number;
	model?: string;
	context?: ContextUse;
	sandbox?: SandboxReport;
	/** The type of the child's last event. */
	lastEvent?: string;
	/** What the child had said so far, if it never finalized. */
	partialOutput?: string;
	warnings: string[];
}

/**
 * The only place that makes outcomes: a success is a finalized success, and everything else is a failure that says which.
 */
export function outcomeOf(cause: EndCause, evidence: RunEvidence): Outcome<string> {
	const { partialOutput, lastEvent, ...facts } = evidence;
	if (cause.kind === "finalized") {
		const { kind, finalized } = cause;
		return { ...facts, status: "success", cause: kind, exitCode: 0, finalized, output: finalized.result };
	}
	const output = saidLast(cause, partialOutput);
	return {
		...facts,
		...failureOf(cause),
		cause: cause.kind,
		...(output && { output }),
		...(lastEvent !== undefined && { lastEvent }),
	};
}

/** An unchecked result is still the most that the child has said. */
function saidLast(cause: FailedCause, partialOutput: string | undefined): string | undefined {
	if (cause.kind === "reported_error") return cause.finalized.result;
	return cause.kind === "uncheckable" || cause.kind === "not_harvested" ? cause.result : partialOutput;
}

/** The ending of a run that no host works on: only the ledger's facts are known. */
export function outcomeWithoutHost(
	record: {
		usage: Usage;
		partial?: Redacted;
		run: { id: RunId; attempt: number; hops?: readonly Hop[] };
		plan: { warnings: string[]; tree?: object };
	},
	cause: EndCause,
	redact: (text: string) => Redacted,
): Outcome {
	const { usage, partial, run, plan } = record;
	const warnings = [
		...plan.warnings,
		...(run.hops ?? []).map(hopInWords),
		...(plan.tree && run.attempt > 0 ? [leftInTree(run.id)] : []),
	];
	const evidence = { usage, displayItems: [], attempts: run.attempt, warnings };
	const outcome = outcomeOf(cause, partial === undefined ? evidence : { ...evidence, partialOutput: partial });
	return redactOwnParts(outcome, redact);
}

const leftInTree = (id: RunId): string =>
	`What it changed in its copy of the checkout is kept: /subagents changes ${id} brings it home and shows it.`;

type Failure = Pick<FailureOutcome<string>, "status" | "exitCode" | "error" | "timeoutReason" | "finalized">;

type FailedCause = Exclude<EndCause, { kind: "finalized" }>;

function failureOf(cause: FailedCause): Failure {
	switch (cause.kind) {
		case "reported_error":
			return { ...failedBy(cause.finalized.error, "reported_error"), finalized: cause.finalized };
		case "not_finalized":
			return failedBy(
				`The subagent stopped without a valid call of ${FINALIZE_TOOL}: ${cause.problem.replace(/\.?$/, ".")}`,
				"not_finalized",
			);
		case "uncheckable":
			return failedBy(
				`Its result could not be checked against the outputSchema in ${cause.file}: ${cause.problem}. Fix the schema: ` +
					"a `pattern` with nested repetition such as (a+)+ may never end. The result is passed on unchecked.",
				"output_schema",
			);
		case "timeout":
			return {
				status: "timeout",
				exitCode: 124,
				timeoutReason: cause.limit,
				error: { code: "SUBAGENT_TIMEOUT", message: timeoutMessage(cause.limit, cause.afterMs), reason: cause.limit },
			};
		case "stopped":
			return { ...failedBy(`Stopped by ${cause.by}.`, "stopped"), exitCode: 130 };
		case "budget":
			return failedBy(`Stopped because its budget is used up: ${cause.limit}.`, "budget");
		case "output_limit":
			return {
				status: "error",
				exitCode: 1,
				error: {
					code: "SUBAGENT_OUTPUT_TRUNCATED",
					message: `Stopped because it wrote too much: ${cause.limit}.`,
					reason: "output_limit",
				},
			};
		case "provider":
			return failedBy(`The model provider failed: ${cause.message}${providerRemedy(cause.message)}`, "provider");
		case "refused":
			return { status: "error", exitCode: 1, error: cause.error };
		case "crashed":
			return failedBy(cause.message, cause.diskFull ? DISK_FULL : "runtime");
		case "not_harvested":
			return failedBy(
				`It finished, but what it changed could not be brought home: ${cause.problem} The work is still in ${cause.tree}`,
				"not_harvested",
			);
		case "lost":
			return failedBy(cause.message, "lost");
	}
}

function failedBy(message: string, reason: string): Failure {
	const error: SubagentError = { code: "SUBAGENT_FAILED", message, reason };
	return { status: "error", exitCode: 1, error };
}

function timeoutMessage(limit: "runtime" | "idle" | "tool", afterMs: number): string {
	const seconds = `${Math.round(afterMs / 100) / 10} s`;
	switch (limit) {
		case "runtime":
			return `It did not finish within ${seconds}, its time limit.`;
		case "idle":
			return `It was silent for ${seconds} (idleTimeoutMs).`;
		case "tool":
			return `One of its tool calls did not finish within ${seconds} (subagents.toolTimeoutMs).`;
	}
}
