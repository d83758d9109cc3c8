/** One JSON object a line, on a stream that its starter points to the host's log file. */
export interface Log {
	info(message: string, facts?: Facts): void;
	warn(message: string, facts?: Facts): void;
	error(message: string, facts?: Facts): void;
}

export interface Facts {
	runId?: string;
	error?: unknown;
	[fact: string]: unknown;
}

export function logTo(write: (line: string) => void, context: Record<string, unknown>): Log {
	const at =
		(level: string) =>
		(message: string, facts: Facts = {}) => {
			const error = facts.error instanceof Error ? { error: facts.error.stack ?? facts.error.message } : {};
			write(`${JSON.stringify({ time: new Date().toISOString(), level, ...context, message, ...facts, ...error })}\n`);
		};
	return { info: at("info"), warn: at("warn"), error: at("error") };
}
