import { rmSync, statSync } from "node:fs";
import { writeNew } from "../../files/write-whole.ts";
import { messageOf } from "../../run/message-of.ts";
import type { Denial } from "../denial.ts";

/** Writes an export that only the user can read. An existing file of that name stays, unless it should be replaced. */
export function saveExport(file: string, text: string, { replace }: { replace: boolean }): Denial | undefined {
	try {
		// This removes a file or a link, but never a folder or the target of a link.
		if (replace) rmSync(file, { force: true });
		writeNew(file, text);
		return undefined;
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		const isThere = error.code === "EEXIST" || statSync(file, { throwIfNoEntry: false }) !== undefined;
		return { status: "error", error: isThere ? `${file} already exists, and was not changed.` : messageOf(error) };
	}
}
