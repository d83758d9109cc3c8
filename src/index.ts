/** What other extensions may rely on. */
export type { AnnounceDetails, AnnounceStatus } from "./deliver/announce.ts";
export type { SingleResult, Streaming, SubagentDetails } from "./deliver/details.ts";
export type { RunEvent } from "./deliver/run-event.ts";
export type { ScriptValue } from "./deliver/script-value.ts";
export type {
	SubagentsMethod,
	SubagentsParams,
	SubagentsRequest,
	SubagentsResponse,
	SubagentsResults,
} from "./operate/requests.ts";
export { SUBAGENT_ERROR_CODES, type SubagentError, type SubagentErrorCode } from "./run/errors.ts";
export { isRunId, isSessionId, type RunId, type SessionId } from "./run/ids.ts";
export type { Cause, ContextUse, DisplayItem, Finalized, Outcome, TimeoutReason } from "./run/outcome.ts";
export type { Usage } from "./run/usage.ts";
