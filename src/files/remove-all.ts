import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Removes a folder that programs of a subagent have filled, with everything in it, without following links. None of those
 * programs may be running: one could put a link in the way.
 */
export async function removeAll(folder: string): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		// Some folders are closed to their owner, or too deep for any path length. These two programs go down step by step,
		// and follow no links on the way.
		// Node gives up at the first error and still removes what it had begun with, so chmod may fail on what is just
		// disappearing. Whether the folder is gone is for rm to say.
		await run("chmod", ["-R", "u+rwX", "--", folder], WITH_SYSTEM_PATH).catch(() => {});
		await run("rm", ["-rf", "--", folder], WITH_SYSTEM_PATH);
	}
}

/** The user's PATH may name folders of a project. */
const WITH_SYSTEM_PATH = { env: { PATH: "/usr/bin:/bin:/run/current-system/sw/bin" } };
