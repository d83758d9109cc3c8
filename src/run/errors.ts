/**
 * The closed set of error codes a delegation can answer with. Finer distinctions go into `reason`,
 * so that callers can switch over the codes without a default branch.
 */
export const SUBAGENT_ERROR_CODES = [
	"INVALID_INPUT",
	"SUBAGENTS_DISABLED",
	"UNKNOWN_AGENT",
	"SUBAGENT_DISABLED",
	"SUBAGENT_DEPTH_EXCEEDED",
	"SUBAGENT_TIMEOUT",
	"SUBAGENT_FAILED",
	"SUBAGENT_OUTPUT_TRUNCATED",
] as const;

export type SubagentErrorCode = (typeof SUBAGENT_ERROR_CODES)[number];

export interface SubagentError<Text extends string = string> {
	code: SubagentErrorCode;
	message: Text;
	reason?: Text;
}

/** A request that was turned down before a run existed. It has no run id on purpose. */
export interface Refusal {
	refused: true;
	error: SubagentError;
}

export const refuse = (code: SubagentErrorCode, message: string, reason?: string): Refusal => ({
	refused: true,
	error: reason === undefined ? { code, message } : { code, message, reason },
});

export const isRefusal = (value: object): value is Refusal => "refused" in value && value.refused === true;
