import type { SessionId } from "../run/ids.ts";

/** A process as others know it: a pid alone may be another process now. */
export interface ProcessIdentity {
	pid?: number | undefined;
	/** When it was started, as a token to compare; empty where the system does not tell. */
	pidStarted?: string | undefined;
}

/** What a process can do about processes, itself included. */
export interface Processes {
	/** This process. */
	readonly self: { pid: number; started: string };
	/** Whether it is certainly gone. */
	isDead(process: ProcessIdentity): boolean;
	/** Kills it, and returns once it does nothing any more. Never kills one that cannot be told apart for sure. */
	end(process: ProcessIdentity): void;
	/** Kills what the shells of a child session left running. */
	endLeftovers(session: { id: SessionId; tools: string[] }, onTrouble: (trouble: string) => void): void;
	/** Ends this process on the spot. */
	exit(): never;
}
