/** The limits of a server, in time and in messages. */
export interface ServerLimits {
	initializeMs: number;
	requestMs: number;
	/** How long it may read the project before we ask anyway. */
	readMs: number;
	/** How long to wait before asking a fresh server the same again, and how often at most. */
	againMs: number;
	asks: number;
	/** How long it may take to leave when asked to. */
	leaveMs: number;
	/** How long diagnostics must be quiet to count as complete, and how long to wait for them at all. */
	settleMs: number;
	diagnosticsMs: number;
	messageBytes: number;
	/** Within `floodWindowMs`: more messages than a busy server ever sends. */
	floodMessages: number;
	floodBytes: number;
	floodWindowMs: number;
	/** After more crashes than this within `crashWindowMs`, it is not started again. */
	crashes: number;
	crashWindowMs: number;
	/** How many run at once in a process. */
	servers: number;
}

export const LIMITS: ServerLimits = {
	initializeMs: 30_000,
	requestMs: 20_000,
	readMs: 60_000,
	againMs: 250,
	asks: 5,
	leaveMs: 1000,
	settleMs: 400,
	diagnosticsMs: 10_000,
	messageBytes: 32 * 1024 * 1024,
	floodMessages: 50_000,
	floodBytes: 128 * 1024 * 1024,
	floodWindowMs: 5000,
	crashes: 3,
	crashWindowMs: 5 * 60_000,
	servers: 8,
};
