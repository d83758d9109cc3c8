import { rmSync, statSync } from "node:fs";
import { writeNew } from "../../files/write-whole.ts";
import { messageOf } from "../../run/message-of.ts";
import type { Denial } from "../denial.ts";

/** Writes an export that only the user can read. An existing file of that name stays, unless it should be replaced. */
export function saveExport(file: string, text: string, { replace }: { replace: boolean }): Denial | undefined {
	try {
		// Removes a file or a link, never a folder: the target of a link stays as it is.
		if (replace) rmSync(file, { force: true });
		writeNew(file, text);
		return undefined;
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		const isThere = error.code === "EEXIST" || statSync(file, { throwIfNoEntry: false }) !== undefined;
		return { status: "error", error: isThere ? `${file} already exists, and was not changed.` : messageOf(error) };
	}
}
