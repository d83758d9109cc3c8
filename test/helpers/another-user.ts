import { lchownSync } from "node:fs";
import { onTestFinished, vi } from "vitest";

/** A user id that is not used here. */
const STRANGER = 12_345;

/**
 * Gives files to another user. Only root can do that. A test of any other user changes the user id that this process
 * reports instead, so that all files of the test seem to belong to another user.
 */
export function giveAway(...paths: string[]): void {
	const us = process.getuid?.();
	if (us === 0) for (const path of paths) lchownSync(path, STRANGER, STRANGER);
	else if (us !== undefined) {
		const spy = vi.spyOn(process, "getuid").mockReturnValue(us + 1);
		onTestFinished(() => spy.mockRestore());
	}
}
