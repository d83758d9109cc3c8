import { writeFileSync } from "node:fs";

/** Problems of the ledger's file or its disk, rather than of the program. */
export type TroubleKind = "locked" | "full" | "disk" | "permissions" | "damaged";

/** SQLite's result codes, without the finer distinctions of the upper bits. */
const TROUBLE_KINDS: Readonly<Record<number, TroubleKind>> = {
	3: "permissions", // PERM
	5: "locked", // BUSY
	6: "locked", // LOCKED
	8: "permissions", // READONLY
	10: "disk", // IOERR
	11: "damaged", // CORRUPT
	13: "full", // FULL
	14: "permissions", // CANTOPEN
	26: "damaged", // NOTADB
};

/** The system's own error codes, before SQLite opens the file: not the owner, or a read-only disk. */
const FORBIDDEN: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);

/** The ledger cannot be used right now. The message says why and what to do. */
export class LedgerTrouble extends Error {
	override name = "LedgerTrouble";
	readonly kind: TroubleKind;

	constructor(kind: TroubleKind, file: string, cause: Error) {
		super(`${MESSAGES[kind]} (${file}: ${cause.message})`, { cause });
		this.kind = kind;
	}

	/** Whether the trouble may pass by itself, without a restart. */
	get mayPass(): boolean {
		return this.kind === "locked" || this.kind === "full" || this.kind === "disk";
	}
}

const MESSAGES: Readonly<Record<TroubleKind, string>> = {
	locked: "Another process keeps the ledger locked. Work resumes by itself once the lock is released.",
	full: "The disk is full, so the ledger cannot be written. Free some space, and work resumes by itself.",
	disk: "The disk failed to read or write the ledger. Check the disk; work resumes by itself if it recovers.",
	permissions:
		"There is no permission to open or write the ledger. Give your user write access to the file and its folder, on a writable disk.",
	damaged:
		"The ledger is damaged. Start pi again: the damaged file is then kept under another name, and a new ledger is made.",
};

/** The trouble that an error of SQLite or of the file system reports; undefined if the error is about something else. */
export function troubleKind(error: unknown): TroubleKind | undefined {
	if (error instanceof LedgerTrouble) return error.kind;
	if (!(error instanceof Error)) return undefined;
	if ("code" in error && FORBIDDEN.has(String(error.code))) return "permissions";
	// Node calls it `errcode`, Bun `errno`.
	const { errcode, errno } = error as { errcode?: unknown; errno?: unknown };
	const isSqlite = "code" in error && String(error.code).includes("SQLITE");
	const code = isSqlite ? (errcode ?? errno) : undefined;
	return typeof code === "number" ? TROUBLE_KINDS[code & 0xff] : undefined;
}

/** The same error in words for the user, if it is such trouble. */
export function inWords(error: unknown, file: string): unknown {
	const kind = troubleKind(error);
	if (kind === undefined || error instanceof LedgerTrouble || !(error instanceof Error)) return error;
	if (kind === "damaged") leaveMark(file);
	return new LedgerTrouble(kind, file, error);
}

/** Tells the next process that opens the ledger to check it thoroughly, which would take too long every time. */
export const damageMark = (file: string): string => `${file}.damaged`;

function leaveMark(file: string): void {
	try {
		writeFileSync(damageMark(file), "", { mode: 0o600 });
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error; // Report the damage, not this error.
	}
}
