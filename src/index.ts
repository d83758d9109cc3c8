/** What other extensions may rely on. */
export type { SingleResult, Streaming, SubagentDetails } from "./deliver/details.ts";
export { SUBAGENT_ERROR_CODES, type SubagentError, type SubagentErrorCode } from "./run/errors.ts";
export { isRunId, isSessionId, type RunId, type SessionId } from "./run/ids.ts";
export type { DisplayItem, Finalized, TimeoutReason } from "./run/outcome.ts";
export type { Usage } from "./run/usage.ts";
