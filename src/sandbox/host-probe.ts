import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf } from "../run/message-of.ts";
import { nestedTrial, outerRingArguments } from "./outer-ring.ts";

const TRIED_WITHIN_MS = 10_000;

/** Why a host here cannot have a ring with the rings of runs inside; undefined if it can. */
export async function hostRingTrouble(bwrap: string): Promise<string | undefined> {
	const args = outerRingArguments({ bwrap, writable: [], shown: [], env: {}, isRoot: process.getuid?.() === 0 });
	try {
		await promisify(execFile)(bwrap, [...args, "--", ...nestedTrial(bwrap)], { timeout: TRIED_WITHIN_MS });
		return undefined;
	} catch (error) {
		return error instanceof Error && "stderr" in error ? String(error.stderr).trim() : messageOf(error);
	}
}
