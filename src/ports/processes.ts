import type { SessionId } from "../run/ids.ts";

/** Identifies a process: a pid alone may belong to another process now. */
export interface ProcessIdentity {
	pid?: number | undefined;
	/** The start time, as a token to compare; empty if the system does not report it. */
	pidStarted?: string | undefined;
}

/** What a process can do about processes, itself included. */
export interface Processes {
	/** This process. */
	readonly self: { pid: number; started: string };
	/** Whether it is certainly gone. */
	isDead(process: ProcessIdentity): boolean;
	/** Kills the process, and returns once it has stopped. Never kills a process that cannot be identified for certain. */
	end(process: ProcessIdentity): void;
	/** Kills processes that the shells of a child session left running. */
	endLeftovers(session: { id: SessionId; tools: string[] }, onTrouble: (trouble: string) => void): void;
	/** Ends this process on the spot. */
	exit(): never;
}
