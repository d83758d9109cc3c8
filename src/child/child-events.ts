import type { AgentSessionEvent } from "@earendil-works/pi-coding-agent";

export type ChildEvent = AgentSessionEvent;

/** The events of one child session. */
export interface ChildEvents {
	subscribe(listener: (event: ChildEvent) => void): () => void;
}
