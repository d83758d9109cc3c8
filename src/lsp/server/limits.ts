/** What a server may take, in time and in messages. */
export interface ServerLimits {
	initializeMs: number;
	requestMs: number;
	/** How long reading the project may take before it is asked anyway. */
	readMs: number;
	/** How long to wait before a fresh server is asked the same again, and how often at most. */
	againMs: number;
	asks: number;
	/** How long it may take to leave when asked to. */
	leaveMs: number;
	/** How long diagnostics must be quiet to count as complete, and how long they are waited for at all. */
	settleMs: number;
	diagnosticsMs: number;
	messageBytes: number;
	/** Within `floodWindowMs`: more than a busy server ever says. */
	floodMessages: number;
	floodBytes: number;
	floodWindowMs: number;
	/** More endings of its own within `crashWindowMs`, and it is not started again. */
	crashes: number;
	crashWindowMs: number;
	/** At once in a process. */
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
