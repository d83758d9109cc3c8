import {
	chmodSync,
	closeSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	openSync,
	readFileSync,
	readSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { CURRENT_SESSION_VERSION, type SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";
import { MAX_SESSION_FILE } from "../ledger/transcript.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { messageOf } from "../run/message-of.ts";
import { isEntry } from "../run/session-entry.ts";

/** Why a child could not be set up as planned. Shown to the requester unchanged. */
export class SetupFailed extends Error {
	override name = "SetupFailed";
}

/**
 * The transcript that a run works in: a new one, or the one it continues. Refuses a damaged file and leaves it as it is,
 * unless the damage is outside the conversation, such as the half line that a killed host leaves.
 */
export function openSessionFile({ cwd, session }: LaunchPlan): SessionManager {
	const { file, id, resumed } = session;
	const wrong = (what: string) =>
		new SetupFailed(
			`The session to continue cannot be read: ${what}. Nothing in it was changed. ` +
				"Fix the file, or leave sessionId out to start a new session.",
		);
	if (resumed && !existsSync(file)) {
		throw new SetupFailed(`The session to continue is gone: there is no ${file} any more.`);
	}
	if (!resumed && !existsSync(file)) {
		if (session.fork === undefined) return createdSession(file, { id, cwd }, wrong);
		moveFork(session.fork, file);
	}
	const stats = statSync(file);
	// Opening anything else may block: a pipe waits for its writer.
	if (!stats.isFile()) throw wrong(`${file} is not a file`);
	if (stats.size > MAX_SESSION_FILE) throw wrong(`${file} is larger than 64 MiB`);
	if (stats.size === 0) {
		if (resumed || session.fork !== undefined) throw wrong(`${file} is empty`);
		createSessionFile(file, { id, cwd }); // A host was killed just as it created the file.
	}
	const format = formatProblem(file);
	if (format !== undefined) throw wrong(`${file} ${format}`);
	const manager = openSession(file, cwd, wrong);
	if (manager.getSessionId() !== id) throw wrong(`${file} holds another session, ${manager.getSessionId()}`);
	const damage = damageIn(manager.getEntries());
	if (damage !== undefined) throw wrong(`${file} is damaged, ${damage}`);
	noticeFailedWrites(manager);
	return manager;
}

/** Opens a file that was just created, so it needs no check for damage. */
function createdSession(
	file: string,
	header: { id: string; cwd: string },
	wrong: (what: string) => SetupFailed,
): SessionManager {
	createSessionFile(file, header);
	const manager = openSession(file, header.cwd, wrong);
	noticeFailedWrites(manager);
	return manager;
}

const failedWrites = new WeakMap<object, Error>();

/**
 * The error that kept pi from writing an entry of this session, if any. pi then keeps the entry in memory only, never writes
 * it again, and reports the failure as if the model had failed.
 */
export const failedWriteOf = (manager: object): Error | undefined => failedWrites.get(manager);

function noticeFailedWrites(manager: SessionManager): void {
	const append = manager.appendMessage.bind(manager);
	manager.appendMessage = (message) => {
		try {
			return append(message);
		} catch (error) {
			if (error instanceof Error) failedWrites.set(manager, error);
			throw error;
		}
	};
}

/**
 * pi writes a new session file only once the model has answered, and makes it readable by others. Ours exists from the
 * start, for the user alone, so that everything that happens next is on record.
 */
function createSessionFile(file: string, { id, cwd }: { id: string; cwd: string }): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	const header = { type: "session", version: CURRENT_SESSION_VERSION, id, timestamp: new Date().toISOString(), cwd };
	// Written under another name first: pi could not open a file that a killed host left half written.
	writeFileSync(`${file}.new`, `${JSON.stringify(header)}\n`, { mode: 0o600 });
	renameSync(`${file}.new`, file);
}

/**
 * Moves the copy that the session begins with into place. This happens only once: the next host of the run finds the file
 * there, with everything that was added since.
 */
function moveFork(fork: string, file: string): void {
	if (!existsSync(fork)) {
		throw new SetupFailed(
			`The copy of the conversation that it was to start from is gone: there is no ${fork} any more.`,
		);
	}
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	try {
		renameSync(fork, file);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
		// The agent directory is on another disk.
		copyFileSync(fork, `${file}.new`);
		chmodSync(`${file}.new`, 0o600);
		renameSync(`${file}.new`, file);
		rmSync(fork, { force: true });
	}
}

function openSession(file: string, cwd: string, wrong: (what: string) => SetupFailed): SessionManager {
	try {
		return SessionManager.open(file, dirname(file), cwd);
	} catch (error) {
		// The file is not to blame: a folder without permissions, or a failing disk.
		if (error instanceof Error && "syscall" in error) throw error;
		throw wrong(`${file}: ${messageOf(error)}`);
	}
}

/** More than any header takes. */
const HEADER_BYTES = 64 * 1024;

/** pi would write into a file of a newer pi as if it knew the format, and would rewrite a file of an older one. */
function formatProblem(file: string): string | undefined {
	const version = formatVersion(file);
	if (version === undefined || version === CURRENT_SESSION_VERSION) return undefined;
	const said = `has version ${JSON.stringify(version)} of pi's session format`;
	if (typeof version !== "number" || version > CURRENT_SESSION_VERSION) {
		return `${said}, and this pi knows those up to ${CURRENT_SESSION_VERSION}`;
	}
	const lines = readFileSync(file, "utf8").split("\n");
	const unreadable = lines.findIndex((line) => line.trim() !== "" && parsedLine(line) === undefined);
	if (unreadable === -1) return undefined;
	return `${said}, and line ${unreadable + 1} of it would be lost when pi brings it up to date`;
}

/** The format version in the first line; undefined if that is not a header, which pi reports itself. */
function formatVersion(file: string): unknown {
	const bytes = Buffer.alloc(HEADER_BYTES);
	const descriptor = openSync(file, "r");
	try {
		const [first = ""] = bytes.toString("utf8", 0, readSync(descriptor, bytes)).trimStart().split("\n", 1);
		const header = parsedLine(first);
		if (!isRecord(header) || header.type !== "session") return undefined;
		return "version" in header ? header.version : 1;
	} finally {
		closeSync(descriptor);
	}
}

/** pi skips lines it cannot read. That is harmless as long as the last entry leads back to the first. */
function damageIn(entries: SessionEntry[]): string | undefined {
	const strange = entries.find((entry) => !isEntry(entry));
	if (strange !== undefined) return `it has a line that is not an entry: ${JSON.stringify(strange).slice(0, 60)}`;
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	for (let entry = entries.at(-1); entry && entry.parentId !== null; ) {
		const before: SessionEntry | undefined = byId.get(entry.parentId);
		byId.delete(entry.id); // A cycle ends where it began.
		if (!before) return `the entry before ${entry.id} is missing`;
		entry = before;
	}
	return undefined;
}
