import type { ScriptValue } from "../deliver/script-value.ts";
import type { SubagentError } from "../run/errors.ts";
import type { RunId, SessionId } from "../run/ids.ts";
import type { ListRequest, SessionList } from "./list.ts";
import type { Stopped } from "./stop.ts";

/** Events on `pi.events`: another extension sends a request with the first, and gets the answer with the second. */
export const REQUEST = "subagents:request";
export const RESPONSE = "subagents:response";
export const REQUEST_VERSION = 1;

/** The parameters of each method. */
export interface SubagentsParams {
	/** Starts a background run of this session. Its report comes into the conversation, as with `sessions_spawn`. */
	spawn: {
		task: string;
		agent?: string;
		/** The principal whose account it works under. */
		agentId?: string;
		label?: string;
		model?: string;
		thinking?: string;
		runTimeoutSeconds?: number;
		context?: "fresh" | "fork";
		isolation?: "worktree";
		/** The pool whose workers should do it. */
		pool?: string;
		cleanup?: "keep" | "delete";
	};
	/** Waits for the end of a run: at most this long, or without a limit. */
	wait: { runId: string; timeoutMs?: number };
	/** Sends a message to a subagent: to the open run, or to a new one that continues its session. */
	send: { sessionKey?: string; label?: string; message: string };
	stop: { runId: string };
	list: Omit<ListRequest, "parentSession">;
}

/** The result of each method. */
export interface SubagentsResults {
	spawn: { runId: RunId; sessionId: SessionId; sessionKey: string; model: string; warnings?: string[] };
	/** RUNNING if the time ran out first. */
	wait: ScriptValue;
	/** The run to wait for. */
	send: { runId: string; sessionKey: string };
	stop: Stopped;
	list: SessionList;
}

export type SubagentsMethod = keyof SubagentsParams;

export interface SubagentsRequest<Method extends SubagentsMethod = SubagentsMethod> {
	version: 1;
	/** The requester's own id, repeated in the answer. */
	id: string;
	method: Method;
	params: SubagentsParams[Method];
}

export type SubagentsResponse<Method extends SubagentsMethod = SubagentsMethod> =
	| { version: 1; id: string; ok: true; result: SubagentsResults[Method] }
	| { version: 1; id: string; ok: false; error: SubagentError };
