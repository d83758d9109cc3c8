import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isLevel, LOG_LEVELS, type LogLevel, type LogRole } from "./log.ts";

/** One line of a log, as it is shown. */
export interface LogLine {
	time: string;
	level: LogLevel;
	role: LogRole;
	message: string;
	pid?: number;
	host?: string;
	runId?: string;
	agent?: string;
	session?: string;
	/** All other fields of the line. */
	facts: Record<string, unknown>;
}

export interface LogFilter {
	/** A run id, or the beginning of one. */
	run?: string;
	agent?: string;
	/** The least important level to show. */
	level?: LogLevel;
	host?: string;
	/** The conversation that asked. */
	session?: string;
	/** The fixed words of a line. */
	message?: string;
	/** How many of the latest lines. */
	limit?: number;
}

/** Where logs are: the file of the parents, and the folder of the hosts. */
export interface LogPlaces {
	parentLog: string;
	hosts: string;
}

const DEFAULT_LIMIT = 100;
/** The limit for one file: more than we ever write, in case another program filled the file. */
const LOG_BYTES_READ = 4 * 1024 * 1024;

/**
 * The latest lines of all logs together, oldest first. Includes other output of a process, such as a crash trace, as a
 * warning. A broken line, or a file that was just removed, does not hide other lines.
 */
export function readLogs(places: LogPlaces, filter: LogFilter = {}): LogLine[] {
	const parents = namesBeside(places.parentLog).map((file) => ({ file, role: "parent" as const }));
	const hosts = logFilesIn(places.hosts)
		.filter((name) => HOST_LOG.test(name) && (filter.host === undefined || name.startsWith(filter.host)))
		.map((name) => ({ file: join(places.hosts, name), role: "host" as const }));
	const agents = new Map<string, string>();
	const lines = [...parents, ...hosts].flatMap(({ file, role }) => logLines(file, role));
	for (const { runId, agent } of lines) if (runId !== undefined && agent !== undefined) agents.set(runId, agent);
	return lines
		.map((line) => {
			const agent = line.agent ?? (line.runId === undefined ? undefined : agents.get(line.runId));
			return agent === undefined ? line : { ...line, agent };
		})
		.filter((line) => isWantedLine(line, filter))
		.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
		.slice(-Math.max(1, filter.limit ?? DEFAULT_LIMIT));
}

const HOST_LOG = /^([0-9a-f]{8})\.log(\.\d)?$/;

function isWantedLine(line: LogLine, { run, agent, level, host, session, message }: LogFilter): boolean {
	if (run !== undefined && !line.runId?.startsWith(run)) return false;
	if (agent !== undefined && line.agent !== agent) return false;
	if (host !== undefined && line.host !== host) return false;
	if (session !== undefined && line.session !== session) return false;
	if (message !== undefined && line.message !== message) return false;
	return level === undefined || LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.indexOf(level);
}

function logLines(file: string, role: LogRole): LogLine[] {
	const text = tailOf(file);
	if (text === undefined) return [];
	const host = HOST_LOG.exec(basename(file))?.[1];
	const whose = { role, ...(host !== undefined && { host }) };
	const lines: LogLine[] = [];
	let time = text.modified;
	for (const line of text.content.split("\n")) {
		const found = logLineOf(line, { ...whose, time });
		if (!found) continue;
		time = found.time;
		lines.push(found);
	}
	return lines;
}

type KnownOfFile = Pick<LogLine, "role" | "host" | "time">;

function logLineOf(line: string, known: KnownOfFile): LogLine | undefined {
	if (line.trim() === "") return undefined;
	const value = jsonOf(line);
	// Another program's output, or a partial line: the start of the file may be cut off, or the disk may have been full.
	if (value === undefined) return { ...known, level: "warn", message: line.trimEnd(), facts: { printed: true } };
	const { time, level, role, message, pid, host, runId, agent, session, ...facts } = value;
	// The events that pi prints in its JSON mode.
	if (typeof message !== "string" || typeof time !== "string" || !isLevel(level)) return undefined;
	return {
		...known,
		time,
		level,
		message,
		...(isRole(role) && { role }),
		...(typeof pid === "number" && { pid }),
		...(typeof host === "string" && { host }),
		...(typeof runId === "string" && { runId }),
		...(typeof agent === "string" && { agent }),
		...(typeof session === "string" && { session }),
		facts,
	};
}

const isRole = (value: unknown): value is LogRole => value === "parent" || value === "host" || value === "cli";

function jsonOf(line: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** The end of a file, from the first whole line on; undefined if it is gone or may not be read. */
function tailOf(file: string): { content: string; modified: string } | undefined {
	let opened: number | undefined;
	try {
		opened = openSync(file, "r");
		const { size, mtime } = fstatSync(opened);
		const bytes = Buffer.alloc(Math.min(size, LOG_BYTES_READ));
		const read = readSync(opened, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
		const content = bytes.subarray(0, read).toString("utf8");
		const isWhole = size <= LOG_BYTES_READ;
		return { content: isWhole ? content : content.slice(content.indexOf("\n") + 1), modified: mtime.toISOString() };
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	} finally {
		if (opened !== undefined) closeSync(opened);
	}
}

const namesBeside = (file: string): string[] =>
	logFilesIn(dirname(file))
		.filter((name) => name === basename(file) || (name.startsWith(`${basename(file)}.`) && /\.\d$/.test(name)))
		.map((name) => join(dirname(file), name));

/** The last rotated file has the oldest lines, so it comes first. */
function logFilesIn(folder: string): string[] {
	try {
		return readdirSync(folder).sort().reverse();
	} catch (error) {
		if (error instanceof Error && "code" in error) return [];
		throw error;
	}
}
