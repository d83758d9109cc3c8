import type { Ring } from "./ring.ts";

/** The rings that the language servers of a session are started in. */
export interface ServerRings {
	/** Servers with different keys are kept apart. */
	key: string;
	/** The ring of the servers of a folder. Its `cache` is for the files that they keep. */
	open(root: string): Ring;
	/** The real paths that the servers do not see. */
	hidden(): string[];
	/** Whether the servers are useless after the run, because they know only its tree, which is removed. */
	readonly endWithRun: boolean;
	/** Ends the servers. Set by the tool that starts them. */
	end?: () => Promise<unknown>;
}

const LENT = Symbol.for("pi-geon.server-rings.1");

/** Shared by all entries of the process: the host lends, and the extension with the `lsp` tool borrows. */
function lent(): Map<string, ServerRings> {
	const shared = globalThis as { [LENT]?: Map<string, ServerRings> };
	shared[LENT] ??= new Map();
	return shared[LENT];
}

/** Lends the rings until the returned function is called. */
export function lendRings(sessionId: string, rings: ServerRings): () => void {
	lent().set(sessionId, rings);
	return () => void lent().delete(sessionId);
}

export const ringsLentTo = (sessionId: string): ServerRings | undefined => lent().get(sessionId);
