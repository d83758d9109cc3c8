import { optionsOf } from "../../lsp/server/definition.ts";
import type { ServerLaunch } from "../../lsp/server/launch.ts";
import { LIMITS } from "../../lsp/server/limits.ts";
import { ServerConnection } from "../../lsp/server/server-connection.ts";

const SERVER_WITHIN_MS = 15_000;
const LONGEST_REASON = 240;

/**
 * Starts a language server and sends it one request. Returns undefined if it answers, otherwise why not.
 *
 * `--version` would not be enough: some servers do not know it, and others answer it but fail to serve. The server gets no
 * folder and no `initialized` notification, so that it reads nothing of the project.
 */
export async function troubleStarting(launch: ServerLaunch, signal: AbortSignal): Promise<string | undefined> {
	const connection = new ServerConnection(launch, LIMITS, { onNotification: () => {}, onRequest: () => null });
	const initializationOptions = optionsOf(launch.definition);
	const params = { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions };
	// The connection does not keep this process running, and in the shell nothing else may do so.
	const hold = setInterval(() => {}, SERVER_WITHIN_MS);
	try {
		await connection.ask("initialize", params, { ms: SERVER_WITHIN_MS, signal });
		return undefined;
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return firstLineOf(error.message);
	} finally {
		await connection.close();
		clearInterval(hold);
	}
}

/** The first line has the reason; the rest may be a whole backtrace. */
function firstLineOf(reason: string): string {
	const [first = ""] = reason.split("\n");
	return first.length > LONGEST_REASON ? `${first.slice(0, LONGEST_REASON)}…` : first;
}
