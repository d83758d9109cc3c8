import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { LedgerTrouble } from "../ledger/trouble.ts";
import { messageOf } from "../run/message-of.ts";
import type { EndCause } from "../run/outcome.ts";

const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/**
 * The cause of a run that failed with `error`. It says whether the disk was full, because another machine can then continue.
 * `file`: a file of the run on the disk in question.
 */
export function crashOf(
	error: unknown,
	file: string,
	message = messageOf(error),
): Extract<EndCause, { kind: "crashed" }> {
	return { kind: "crashed", message, ...((saysFull(error) || isFull(file)) && { diskFull: true }) };
}

function saysFull(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	if (error instanceof LedgerTrouble) return error.kind === "full";
	return ("code" in error && FULL.has(error.code)) || saysFull(error.cause);
}

/** Programs such as git report a full disk in prose only, so this checks the disk itself. */
function isFull(file: string): boolean {
	try {
		const folder = dirname(file);
		if (!existsSync(folder)) return false;
		const { blocks, bavail } = statfsSync(folder);
		// Some network file systems report no sizes at all.
		return blocks > 0 && bavail === 0;
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		return false; // The folder is gone or forbidden: that says nothing about free space.
	}
}
