import type { ModelRequest } from "../../demo/offline-model.ts";

export interface ScriptedRequest extends ModelRequest {
	readonly isChild: boolean;
}

/** A request as the model saw it. */
export interface RecordedRequest extends ScriptedRequest {
	/** Milliseconds on `performance.now()`. */
	readonly startedAt: number;
	/** Unset while the request is being answered. */
	endedAt: number | undefined;
	/** The client left before the answer was complete. */
	aborted: boolean;
	/** Resolves when the connection of this request is closed, by either side. */
	readonly ended: Promise<void>;
}
