/** Which kind of process wrote a line: a user's pi, a host, or the `pi-geon` command. */
export type LogRole = "parent" | "host" | "cli";

/** From the least to the most important. */
export const LOG_LEVELS = ["info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const isLevel = (value: unknown): value is LogLevel => (LOG_LEVELS as readonly unknown[]).includes(value);

/** Logs what happened in a few fixed words, with the particulars as facts. Never throws. */
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
	/** Receives whole lines, with their line breaks. If it fails, only these lines are lost. */
	write(lines: string): void;
	/** Message and facts of a line go through it. The rest is ours: time, level and context. */
	redact(line: LineToWrite): unknown;
	/**
	 * Redacting and writing a line takes longer than many of the steps that are logged. So lines at the level `info` wait a
	 * moment, and the next step does not wait for them. A process that is killed loses the lines of that moment.
	 */
	isWrittenLate?: boolean;
}

type LineToWrite = Readonly<Record<string, unknown>>;

const WRITTEN_AFTER_MS = 25;

/** One JSON object a line. */
export function logTo({ context, write, redact, isWrittenLate = false }: LogTarget): Log {
	const waiting: { head: LineToWrite; line: LineToWrite }[] = [];
	const asText = ({ head, line }: (typeof waiting)[number]) =>
		`${JSON.stringify({ ...head, ...(redact(line) as LineToWrite) })}\n`;
	const writeAll = () => {
		process.off("exit", writeAll);
		const lines = waiting.splice(0).flatMap((line) => orNothing(() => asText(line)) ?? []);
		if (lines.length > 0) orNothing(() => write(lines.join("")));
	};
	const writeSoon = () => {
		// Only for as long as lines wait: pi loads its extensions again for each session, and the loggers would pile up.
		process.once("exit", writeAll);
		setTimeout(writeAll, WRITTEN_AFTER_MS).unref();
	};
	const at =
		(level: LogLevel) =>
		(message: string, facts: Facts = {}): void => {
			waiting.push({
				head: { time: new Date().toISOString(), level, ...context },
				line: { message, ...facts, ...errorIn(facts) },
			});
			if (!isWrittenLate || level !== "info") writeAll();
			else if (waiting.length === 1) writeSoon();
		};
	return { info: at("info"), warn: at("warn"), error: at("error") };
}

/** Drops lines that cannot be written: the disk may be full, a folder removed, or a fact not valid as JSON. */
function orNothing<Result>(work: () => Result): Result | undefined {
	try {
		return work();
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return undefined;
	}
}

/** For processes that have no log file. */
export const NO_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** An error as text, because JSON drops the content of an Error object. */
function errorIn({ error }: Facts): { error?: string } {
	if (error === undefined) return {};
	return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
