import { lchownSync } from "node:fs";
import { onTestFinished, vi } from "vitest";

/** A user id that belongs to nobody here. */
const STRANGER = 12_345;

/**
 * Makes files another user's. Only root can give files away; anybody else becomes the other user instead, as far as this
 * process can tell, so that everything that the test made belongs to somebody else.
 */
export function giveAway(...paths: string[]): void {
	const us = process.getuid?.();
	if (us === 0) for (const path of paths) lchownSync(path, STRANGER, STRANGER);
	else if (us !== undefined) {
		const spy = vi.spyOn(process, "getuid").mockReturnValue(us + 1);
		onTestFinished(() => spy.mockRestore());
	}
}
