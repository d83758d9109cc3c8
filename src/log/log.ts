/** Which kind of process wrote a line: a user's pi, a host, or the `pi-geon` command. */
export type LogRole = "parent" | "host" | "cli";

/** From the least to the most important. */
export const LOG_LEVELS = ["info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const isLevel = (value: unknown): value is LogLevel => (LOG_LEVELS as readonly unknown[]).includes(value);

/** What happened, in a few fixed words; the particulars go into the facts. Never throws, whatever it is given. */
export interface Log {
	info(message: string, facts?: Facts): void;
	warn(message: string, facts?: Facts): void;
	error(message: string, facts?: Facts): void;
}

export interface Facts {
	runId?: string;
	agent?: string;
	/** The conversation that asked. */
	session?: string;
	error?: unknown;
	[fact: string]: unknown;
}

/** What all lines of a process have in common. */
export interface LogContext {
	role: LogRole;
	pid: number;
	host?: string;
}

export interface LogTarget {
	context: LogContext;
	/** Takes one line, with its line break. May fail: only the line is lost then. */
	write(line: string): void;
	/** Everything in a line goes through it. */
	redact(line: Readonly<Record<string, unknown>>): unknown;
}

/** One JSON object a line. */
export function logTo({ context, write, redact }: LogTarget): Log {
	const at =
		(level: LogLevel) =>
		(message: string, facts: Facts = {}): void => {
			try {
				const line = { time: new Date().toISOString(), level, ...context, message, ...facts, ...errorIn(facts) };
				write(`${JSON.stringify(redact(line))}\n`);
			} catch (error) {
				// A full disk, a removed folder, or a fact that cannot be JSON: the work continues without this line.
				if (!(error instanceof Error)) throw error;
			}
		};
	return { info: at("info"), warn: at("warn"), error: at("error") };
}

/** For processes that have no log file. */
export const NO_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** JSON shows nothing of an Error object. */
function errorIn({ error }: Facts): { error?: string } {
	if (error === undefined) return {};
	return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
