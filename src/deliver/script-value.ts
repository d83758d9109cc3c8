import type { ReportedChanges } from "../run/changes.ts";
import type { SubagentError } from "../run/errors.ts";
import type { RunId, SessionId } from "../run/ids.ts";
import type { Redacted } from "../run/redacted.ts";
import { NO_USAGE, type Usage } from "../run/usage.ts";
import type { SubagentDetails } from "./details.ts";

/** The result of a delegation for a program: a script of pi's codemode, or another extension. */
export interface ScriptValue {
	/** RUNNING: the user sent the run to the background. */
	status: "SUCCESS" | "ERROR" | "RUNNING";
	sessionId?: SessionId;
	runId?: RunId;
	/** The whole answer, as the child wrote it, redacted. */
	output?: Redacted;
	/** The answer of an agent with an `outputSchema`, parsed. */
	value?: unknown;
	error?: SubagentError;
	warnings?: Redacted[];
	usage: Usage;
	/** What it changed in its tree. */
	changes?: ReportedChanges<Redacted>;
}

export function scriptValue({
	runId,
	sessionId,
	finalized,
	results,
	error,
	continues,
}: Omit<SubagentDetails, "version">): ScriptValue {
	if (continues)
		return { status: "RUNNING", ...(sessionId !== undefined && { sessionId }), ...continues, usage: NO_USAGE };
	const [result] = results;
	const succeeded = result?.exitCode === 0;
	return {
		status: succeeded ? "SUCCESS" : "ERROR",
		...(sessionId !== undefined && { sessionId }),
		...(runId !== undefined && { runId }),
		...(result?.output !== undefined && { output: result.output }),
		...(succeeded && finalized && "value" in finalized && { value: finalized.value }),
		// The error of a success only says that the text for the model was cut. A program gets all of the text.
		...(!succeeded && error && { error }),
		...(result?.warnings && { warnings: result.warnings }),
		usage: result?.usage ?? NO_USAGE,
		...(result?.changes && { changes: result.changes }),
	};
}
